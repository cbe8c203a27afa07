package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/proxy"
	"github.com/fusionctl/fusionctl/internal/bench"
)

// hookOf is a hook whose baseline is the first version.
func hookOf(shape bench.Shape, o ...awareness.Option) *awareness.Hook {
	return must1(awareness.New(awareness.FromLockfile(bench.Contract(shape, 1, 0)), append(o, awareness.Repeats(false))...))
}

func must1[T any](v T, err error) T {
	must(err)
	return v
}

func (p *page) hook(shape bench.Shape) {
	good, stale := bench.Calls(shape)
	live := bench.Contract(shape, 1, 1).Servers[bench.ServerName].Tools
	for _, on := range []bool{false, true} {
		hook := hookOf(shape, awareness.SelfHealing(on))
		for name, entry := range live {
			tool := hook.LearnEntry(name, entry)
			check := func(arguments []byte, want awareness.Status) func() {
				return func() {
					if v := hook.Check(awareness.Call{Tool: tool, Arguments: arguments}); v.Status != want {
						panic(fmt.Sprintf("%+v", v))
					}
				}
			}
			state := map[bool]string{false: "off", true: "on"}[on]
			p.add("hook "+state+", right call", key{shape: shape}, p.ratio(check(good, awareness.Valid), good))
			p.add("hook "+state+", stale call", key{shape: shape}, p.ratio(check(stale, awareness.Invalid), stale))
		}
	}
}

// proxy measures what the proxy does about one call and its answer.
func (p *page) proxy(shape bench.Shape) {
	const answer = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":%q}],"isError":%v}}`
	good, stale := bench.Calls(shape)
	var list struct{ Tools []struct{ Name string } }
	manifest := bench.Manifest(shape, 1, 1)
	must(json.Unmarshal(manifest, &list))
	call := func(arguments []byte) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, list.Tools[0].Name, arguments)
	}
	listing := func(id []byte) []byte { return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, manifest) }
	r := proxy.NewRewriter(hookOf(shape, awareness.WithMode(awareness.Enrich)))
	r.ClientMessage([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r.ServerMessage(listing([]byte("1")))
	ask := func(_ context.Context, id string, _ []byte) []byte { return listing(must1(json.Marshal(id))) }
	exchange := func(call, answer []byte, wantNews bool) func() {
		return func() {
			r.ClientMessage(call)
			out, wait := r.ServerMessage(answer)
			if wait != nil { // every few seconds, the tools are listed anew
				out = r.Resolve(context.Background(), wait, ask)
			}
			if bytes.Contains(out, []byte("contract_awareness")) != wantNews {
				panic(fmt.Sprintf("the answer became %s", out))
			}
		}
	}
	for _, c := range []struct {
		name         string
		call, answer []byte
		news         bool
	}{
		{"proxy, call that succeeds", call(good), fmt.Appendf(nil, answer, "done", false), false},
		{"proxy, answer of 1 MB", call(good), fmt.Appendf(nil, answer, strings.Repeat("a line of text\n", 1<<16), false), false},
		{"proxy, stale call that fails", call(stale), fmt.Appendf(nil, answer, "invalid arguments", true), true},
	} {
		p.add(c.name, key{shape: shape}, p.ratio(exchange(c.call, c.answer, c.news), c.call, c.answer))
	}
}
