package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A client that never lists: the proxy asks, with the _meta of the failed request, and only once for calls soon after.
func TestOwnListing(t *testing.T) {
	t.Parallel()
	r := NewRewriter(hook(t))
	pass := atTime(r)
	var asked []string
	ask := listServer(t, &asked, `{"tools":[`+searchV2+`],"nextCursor":"1"}`, toolsOf(list))
	for i, want := range []int{2, 2, 4} {
		if i == 2 {
			pass(trusted)
		}
		out := resolved(t, r, strings.Replace(modern, `"id":7`, fmt.Sprintf(`"id":%d`, i), 1), faultOf(fmt.Sprint(i), -32602, "no"), ask)
		if m := read(t, out); !renamed(m.texts[0]) {
			t.Errorf("call %d: %s", i, out)
		}
		if len(asked) != want {
			t.Errorf("call %d: asked %d times, want %d", i, len(asked), want)
		}
	}
	if !strings.Contains(asked[0], `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) || strings.Contains(asked[0], "cursor") || !strings.Contains(asked[1], `"cursor":"1"`) {
		t.Errorf("asked %q", asked)
	}
}

// resolved is exchanged with a server to ask.
func resolved(t testing.TB, r *Rewriter, call, answer string, ask Ask) []byte {
	t.Helper()
	r.ClientMessage([]byte(call))
	out, wait := r.ServerMessage([]byte(answer))
	if wait == nil {
		return out
	}
	return r.Resolve(t.Context(), wait, ask)
}

// The server was replaced by its next release behind the proxy, and nobody announced it.
func TestServerReplaced(t *testing.T) {
	t.Parallel()
	r := NewRewriter(hook(t))
	pass := atTime(r)
	var asked []string
	ask := listServer(t, &asked, toolsOf(searchV1, listAll))
	call := callOf("7", "search", stale)
	if out := resolved(t, r, call, answerOf("7", toolError("disk full")), ask); out != nil {
		t.Errorf("a right call: %s", out)
	}
	ask = listServer(t, &asked, toolsOf(searchV2, list))
	pass(trusted)
	if m := read(t, resolved(t, r, call, answerOf("7", toolError(refusal)), ask)); !renamed(m.texts[0]) {
		t.Errorf("the answer is %s", m.texts)
	}
}

func TestListChanged(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"notifications/tools/list_changed", `notifications\/tools\/list_changed`} {
		r := knowing(t, hook(t), searchV1, listAll)
		if out := exchanged(t, r, "", `{"jsonrpc":"2.0","method":"`+name+`"}`); out != nil {
			t.Errorf("rewritten: %s", out)
		}
		var asked []string
		m := read(t, resolved(t, r, callOf("7", "search", stale), answerOf("7", toolError(refusal)), listServer(t, &asked, toolsOf(searchV2, list))))
		if !renamed(m.texts[0]) || len(asked) != 1 {
			t.Errorf("asked %d times, the answer is %s", len(asked), m.texts)
		}
	}
	r := knowing(t, hook(t), searchV1, listAll)
	exchanged(t, r, "", `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"notifications/tools/list_changed"}}`)
	if !r.catalog.ready() {
		t.Error("a message that speaks of list_changed was taken for one")
	}
}

// A list that changes while the server is asked is good for the answer at hand at most.
func TestListChangedMeanwhile(t *testing.T) {
	t.Parallel()
	r := NewRewriter(hook(t))
	var asked []string
	ask := func(ctx context.Context, id string, request []byte) []byte {
		r.ServerMessage([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		return listServer(t, &asked, toolsOf(searchV1, listAll))(ctx, id, request)
	}
	resolved(t, r, callOf("7", "search", stale), answerOf("7", toolError("disk full")), ask)
	if r.catalog.ready() {
		t.Error("the old list is trusted")
	}
}

// Pages that do not follow one another are not a listing: a tool that stands on a page nobody saw is not gone.
func TestPassingPages(t *testing.T) {
	t.Parallel()
	page := func(id, cursor string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{` + cursor + `}}`
	}
	r := NewRewriter(hook(t))
	exchanged(t, r, page("1", ""), answerOf("1", `{"tools":[`+searchV2+`],"nextCursor":"b"}`))
	if r.catalog.ready() {
		t.Error("ready after the first of two pages")
	}
	exchanged(t, r, page("2", `"cursor":"b"`), answerOf("2", toolsOf(list)))
	if !r.catalog.ready() || len(r.catalog.all()) != 2 {
		t.Errorf("after two pages: %d tools", len(r.catalog.all()))
	}
	for name, answers := range map[string][]string{
		"only the last page":    {page("1", `"cursor":"b"`), answerOf("1", toolsOf(list))},
		"a page is missing":     {page("1", ""), answerOf("1", `{"tools":[],"nextCursor":"b"}`), page("2", `"cursor":"c"`), answerOf("2", toolsOf(list))},
		"no tools":              {page("1", ""), answerOf("1", `{}`)},
		"an error":              {page("1", ""), faultOf("1", -32603, "no")},
		"an empty cursor":       {page("1", ""), answerOf("1", `{"tools":[`+list+`],"nextCursor":""}`)},
		"changed between pages": {page("1", ""), answerOf("1", `{"tools":[],"nextCursor":"b"}`), "", `{"method":"notifications/tools/list_changed"}`, page("2", `"cursor":"b"`), answerOf("2", toolsOf(list))},
	} {
		r := NewRewriter(hook(t))
		for i := 0; i < len(answers); i += 2 {
			exchanged(t, r, answers[i], answers[i+1])
		}
		if r.catalog.ready() {
			t.Errorf("%s: taken for a listing", name)
		}
	}
}

// The ends of an own listing, good and bad.
func TestOwnListingEnds(t *testing.T) {
	t.Parallel()
	const whole, failed = true, false
	for name, c := range map[string]struct {
		pages []string
		known bool
		asks  int
	}{
		"one page":           {[]string{toolsOf(searchV2)}, whole, 1},
		"empty cursor":       {[]string{`{"tools":[` + searchV2 + `],"nextCursor":""}`}, whole, 2},
		"cursor that cycles": {[]string{`{"tools":[` + searchV2 + `],"nextCursor":"0"}`}, whole, 2},
		"no list":            {[]string{`{"tools":null}`}, failed, 1},
		"no object":          {[]string{`[]`}, failed, 1},
		"a page is broken":   {[]string{`{"tools":[` + searchV2 + `],"nextCursor":"1"}`, `{}`}, failed, 2},
	} {
		r := NewRewriter(hook(t))
		pass := atTime(r)
		var asked []string
		ask := listServer(t, &asked, c.pages...)
		for range 2 {
			out := resolved(t, r, callOf("7", "search", stale), answerOf("7", toolError(refusal)), ask)
			if (out != nil) != c.known {
				t.Errorf("%s: the answer is %s", name, out)
			}
		}
		if len(asked) != c.asks {
			t.Errorf("%s: asked %d times, want %d", name, len(asked), c.asks)
		}
		if pass(backoff); r.catalog.ready() {
			t.Errorf("%s: still trusted, or given up, later", name)
		}
	}
	r := NewRewriter(hook(t))
	more := 0
	endless := func(_ context.Context, id string, _ []byte) []byte {
		more++
		return fmt.Appendf(nil, `{"id":%q,"result":{"tools":[],"nextCursor":"%d"}}`, id, more)
	}
	if out := resolved(t, r, callOf("7", "search", stale), answerOf("7", toolError(refusal)), endless); out != nil || more != maxPages {
		t.Errorf("an endless list: %d pages, %s", more, out)
	}
}

// A tool whose definition cannot be used is not gone.
func TestUnusableDefinition(t *testing.T) {
	t.Parallel()
	r := knowing(t, hook(t), `{"name":"list_all","inputSchema":5}`, list)
	if out := exchanged(t, r, callOf("7", "list_all", `{}`), answerOf("7", toolError("not found"))); out != nil {
		t.Errorf("rewritten: %s", out)
	}
}

// Calls that fail together share one listing; one whose caller leaves does not spoil it for the others.
func TestSharedListing(t *testing.T) {
	t.Parallel()
	r := NewRewriter(hook(t))
	var mu sync.Mutex
	asks := 0
	begun := make(chan struct{}, 100)
	release := make(chan struct{})
	ask := func(ctx context.Context, id string, _ []byte) []byte {
		mu.Lock()
		asks++
		mu.Unlock()
		begun <- struct{}{}
		select {
		case <-release:
			return []byte(answerOf(fmt.Sprintf("%q", id), toolsOf(searchV2, list)))
		case <-ctx.Done():
			return nil
		}
	}
	waiting := func(id string) *Waiting {
		r.ClientMessage([]byte(callOf(id, "search", stale)))
		_, wait := r.ServerMessage([]byte(answerOf(id, toolError(refusal))))
		if wait == nil {
			t.Fatal("nothing waits")
		}
		return wait
	}
	leaver, leave := context.WithCancel(t.Context())
	first := waiting("0")
	left := make(chan []byte)
	go func() { left <- r.Resolve(leaver, first, ask) }()
	<-begun
	var others sync.WaitGroup
	for i := range 20 {
		w := waiting(fmt.Sprint(i + 1))
		others.Go(func() {
			if out := r.Resolve(t.Context(), w, ask); out == nil {
				t.Errorf("call %d is untouched", i+1)
			}
		})
	}
	leave()
	if out := <-left; out != nil {
		t.Errorf("an answer without a list: %s", out)
	}
	<-begun
	close(release)
	others.Wait()
	if asks != 2 {
		t.Errorf("asked %d times, want 2", asks)
	}
}
