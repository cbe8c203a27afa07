package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A session is a server, or a proxy with a server behind it, that is spoken to over its standard streams.
type session struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func open(dir, name string, args ...string) (*session, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &session{cmd, in, bufio.NewReaderSize(out, 1<<20)}
	_, err = s.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if err == nil {
		_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return s, err
}

func (s *session) ask(request string) (string, error) {
	if _, err := io.WriteString(s.in, request+"\n"); err != nil {
		return "", err
	}
	return s.out.ReadString('\n')
}

func (s *session) close() error {
	s.in.Close()
	return s.cmd.Wait()
}

// roundTrips measures a call from the request to the answer, with and without the proxy between.
func (p *page) roundTrips(dir, binary string) error {
	fmt.Fprintln(os.Stderr, "measuring round trips")
	lock := filepath.Join(dir, "demo.lock")
	if out, err := exec.Command(binary, "lock", "--lockfile", lock, "--", binary, "demo", "--serve", "v2").CombinedOutput(); err != nil {
		return fmt.Errorf("locking the demo server: %w: %s", err, out)
	}
	direct, err := open(dir, binary, "demo", "--serve", "v2")
	if err != nil {
		return err
	}
	between, err := open(dir, binary, "proxy", "--lock", lock, "--", binary, "demo", "--serve", "v2")
	if err != nil {
		return err
	}
	const calls = 400
	trip := func(s *session) (float64, error) {
		start := time.Now()
		for i := range calls {
			answer, err := s.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_invoices","arguments":{"status":"open"}}}`, i+1))
			if err != nil {
				return 0, fmt.Errorf("a call through %v: %w: %s", s.cmd.Args[1:], err, answer)
			}
		}
		return float64(time.Since(start)), nil
	}
	var ratios []float64
	for range p.rounds + 1 { // the first one warms up
		one, err := trip(between)
		if err != nil {
			return err
		}
		other, err := trip(direct)
		if err != nil {
			return err
		}
		ratios = append(ratios, one/other)
	}
	p.trip = median(ratios[1:])
	if err := between.close(); err != nil {
		return err
	}
	return direct.close()
}
