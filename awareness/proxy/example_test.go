package proxy_test

import (
	"context"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/proxy"
)

func ExampleStdio() {
	hook, err := awareness.New(awareness.FromFile("fusion.lock"), awareness.WithMode(awareness.Enrich))
	if err != nil {
		log.Fatal(err)
	}
	server := &proxy.Stdio{
		Command: []string{"npx", "-y", "@modelcontextprotocol/server-memory"},
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hook: hook,
	}
	code, err := server.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

func ExampleNewHTTP() {
	hook, err := awareness.New(awareness.FromFile("fusion.lock"), awareness.WithMode(awareness.Enrich))
	if err != nil {
		log.Fatal(err)
	}
	handler, err := proxy.NewHTTP(&url.URL{Scheme: "http", Host: "127.0.0.1:3000", Path: "/mcp"}, hook, proxy.HTTPOptions{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", handler))
}
