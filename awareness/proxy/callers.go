package proxy

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/awareness"
)

// An identity tells callers over HTTP apart. It is a hash, because headers hold secrets.
type identity [sha256.Size]byte

// Bounds of what is remembered of callers; beyond them all are forgotten, and learned anew.
const (
	maxCatalogs = 1000
	maxClients  = 10_000
)

const sessionHeader = "Mcp-Session-Id"

// aside are the headers that say nothing about who calls. All others may: the list of tools may depend on who asks.
var aside = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Cache-Control": true, "Connection": true,
	"Content-Encoding": true, "Content-Length": true, "Content-Type": true, "Last-Event-Id": true, "Mcp-Method": true,
	"Mcp-Name": true, "Mcp-Protocol-Version": true, "Origin": true, "Pragma": true, "Traceparent": true, "Tracestate": true,
	"User-Agent": true, "X-Request-Id": true,
}

// identify says who sends a request, by its headers and its address at upstream.
func identify(at *url.URL, header http.Header, more ...string) identity {
	var names []string
	for name := range header {
		if !aside[name] && !strings.HasPrefix(name, "Mcp-Param-") && !strings.HasPrefix(name, "Sec-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	text := []byte(at.Path + "?" + at.RawQuery)
	for _, name := range names {
		text = fmt.Appendf(text, "\x00%q %q", name, header[name])
	}
	return sha256.Sum256(fmt.Appendf(text, "\x00%q", more))
}

// caller is the catalog of whoever sends a request, and a name for it.
func (p *httpProxy) caller(at *url.URL, header http.Header) (*catalog, string) {
	key := identify(at, header)
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.catalogs[key]
	if !ok {
		if len(p.catalogs) >= maxCatalogs {
			clear(p.catalogs)
		}
		c = newCatalog()
		p.catalogs[key] = c
	}
	return c, string(key[:])
}

// begun remembers who began a session, for the requests that follow. A server without sessions is not told apart from others:
// there the same headers stand for the same client.
func (p *httpProxy) begun(at *url.URL, header http.Header, session string, client *awareness.Client) {
	header = header.Clone()
	if header.Del(sessionHeader); session != "" {
		header.Set(sessionHeader, session)
	}
	key := identify(at, header, header.Get("User-Agent"))
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.clients) >= maxClients {
		clear(p.clients)
	}
	p.clients[key] = client
}

// client is who sends a request: as it named itself when it began the session, else the program that its User-Agent names.
func (p *httpProxy) client(at *url.URL, header http.Header) *awareness.Client {
	agent := header.Get("User-Agent")
	p.mu.Lock()
	client := p.clients[identify(at, header, agent)]
	p.mu.Unlock()
	if client == nil && agent != "" && len(agent) <= maxClient {
		product, _, _ := strings.Cut(agent, " ")
		name, version, _ := strings.Cut(product, "/")
		client = &awareness.Client{Name: name, Version: version}
	}
	return client
}
