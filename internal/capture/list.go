package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A list is one kind of definition and how it is asked for.
type list struct {
	kind       lockfile.Kind
	capability string
	method     string
	member     string // of the result
	changed    string // the notification
}

var lists = []list{
	{lockfile.KindTool, "tools", methodTools, "tools", "notifications/tools/list_changed"},
	{lockfile.KindPrompt, "prompts", methodPrompts, "prompts", "notifications/prompts/list_changed"},
	{lockfile.KindResource, "resources", methodResources, "resources", "notifications/resources/list_changed"},
	{lockfile.KindTemplate, "resources", methodTemplates, "resourceTemplates", "notifications/resources/list_changed"},
}

const (
	maxPages = 1000
	maxItems = 100_000
	// settleTime is how long a list must stay unchanged where the server announces that it tells changes: some register
	// tools only after they have seen what the client can do.
	settleTime = 150 * time.Millisecond
	maxRereads = 3
)

// ask sends one request for a page. The typed result is not used: see tap.
func (s *session) ask(ctx context.Context, method, cursor string) error {
	var err error
	switch method {
	case methodTools:
		_, err = s.mcp.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	case methodPrompts:
		_, err = s.mcp.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
	case methodResources:
		_, err = s.mcp.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
	case methodTemplates:
		_, err = s.mcp.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
	}
	return err
}

// page returns the raw result of one request. That the SDK could not decode it does not matter here.
func (s *session) page(method, cursor string) (json.RawMessage, error) {
	late := faultf(ErrTimeout, "raise --timeout", "no answer within %s", s.o.Timeout)
	ctx, cancel := context.WithTimeoutCause(s.call, s.o.Timeout, late)
	defer cancel()
	s.tap.take(method)
	err := s.ask(ctx, method, cursor)
	if raw, ok := s.tap.take(method); ok {
		return raw, nil
	}
	if err == nil {
		err = errors.New("the answer was not seen")
	}
	if cause := context.Cause(ctx); errors.Is(cause, ErrTimeout) {
		err = cause
	}
	return nil, err
}

// settled reads a list until it did not change while it was read.
func (s *session) settled(server *lockfile.Server, l list) error {
	told := tellsChanges(server.Capabilities[l.capability])
	before := len(s.problems)
	for range maxRereads {
		s.problems = s.problems[:before]
		seen := s.tap.changes(l.changed)
		items, err := s.all(l)
		if err != nil {
			return s.listError(l, err)
		}
		s.problems = append(s.problems, addEntries(server, l.kind, items)...)
		if !told {
			return nil
		}
		select {
		case <-time.After(settleTime):
		case <-s.call.Done():
			return context.Cause(s.call)
		}
		if s.tap.changes(l.changed) == seen || server.ProtocolVersion > legacyVersion {
			return nil
		}
	}
	s.notice("the server says again and again that its %s have changed; they were read %d times", l.member, maxRereads)
	return nil
}

func tellsChanges(capability any) bool {
	m, _ := capability.(map[string]any)
	return m["listChanged"] == true
}

// all reads all pages of a list.
func (s *session) all(l list) ([]item, error) {
	s.doing = "listing " + l.member
	var items []item
	cursor, asked := "", map[string]bool{}
	for n := 1; ; n++ {
		s.event(Event{Stage: Listing, Kind: l.kind, Page: n, Items: len(items)})
		raw, err := s.page(l.method, cursor)
		if err != nil {
			return nil, err
		}
		more, next, err := splitPage(raw, l.member)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", n, err)
		}
		items = append(items, more...)
		switch {
		case next == nil:
			return items, nil
		case *next == "":
			return nil, faultf(ErrCursor, hintCursor, "page %d: the server sent an empty cursor, which names no page and does not end the list", n)
		case asked[*next]:
			return nil, faultf(ErrCursor, hintCursor, "page %d: the server sent a cursor again, so that the list has no end", n)
		case n == maxPages || len(items) > maxItems:
			return nil, faultf(ErrTooLarge, "", "the list has more than %d pages or %d items", maxPages, maxItems)
		}
		asked[*next] = true
		cursor = *next
	}
}

const hintCursor = "this is a fault of the server: leave out nextCursor on the last page"

// listError judges the refusal of a list that was announced. Servers announce more than they have; without its tools a
// server is not captured, but a missing list of another kind is told and left empty.
func (s *session) listError(l list, err error) error {
	var rpc *jsonrpc.Error
	if l.kind == lockfile.KindTool || !errors.As(err, &rpc) {
		return err
	}
	p := Problem{Kind: lockfile.KindServer, Notice: rpc.Code == jsonrpc.CodeMethodNotFound}
	if p.Notice {
		if l.kind == lockfile.KindTemplate { // announced together with resources: nothing odd
			return nil
		}
		p.Text = fmt.Sprintf("%s are announced, but %s is not known to the server", l.member, l.method)
	} else {
		p.Text = fmt.Sprintf("%s are left out: the server answers %s with error %d %s", l.member, l.method, rpc.Code, quote(s.redact(rpc.Message)))
	}
	s.problems = append(s.problems, p)
	return nil
}

// noteFolder finds entries that hold the working directory: their lock differs from machine to machine.
func (s *session) noteFolder(server *lockfile.Server) {
	dir := s.src.Dir
	if dir == "" && len(s.src.Command) > 0 {
		dir, _ = os.Getwd()
	}
	if len(dir) < 4 {
		return
	}
	text := string(canonjson.AppendString(nil, dir))
	text = text[1 : len(text)-1]
	for _, kind := range lockfile.EntryKinds() {
		entries := server.Entries(kind)
		for _, name := range canonjson.SortedKeys(entries) {
			if strings.Contains(string(entries[name].Canonical()), text) {
				s.problems = append(s.problems, Problem{Kind: kind, Name: name, Notice: true,
					Text: "its definition contains the working directory, so the lock of another machine will differ"})
			}
		}
	}
}
