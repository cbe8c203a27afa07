package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// fakeSource starts this binary in a mode; the list of pids tells later whether a process is left.
func fakeSource(t *testing.T, mode string) (Source, func() []int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pids := filepath.Join(t.TempDir(), "pids")
	src := Source{Name: "fake", Command: []string{exe}, Env: map[string]string{"FAKE": mode, "FAKE_PIDS": pids}}
	return src, func() (all []int) {
		data, _ := os.ReadFile(pids)
		for _, f := range strings.Fields(string(data)) {
			pid, _ := strconv.Atoi(f)
			all = append(all, pid)
		}
		return all
	}
}

// checkEnded fails when a server process is left behind.
func checkEnded(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("no server was started")
	}
	for _, pid := range pids {
		if running(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func names(s *lockfile.Server) string {
	if s == nil {
		return "nil"
	}
	var parts []string
	for _, kind := range lockfile.EntryKinds() {
		parts = append(parts, strings.Join(canonjson.SortedKeys(s.Entries(kind)), ","))
	}
	return strings.TrimRight(strings.Join(parts, "|"), "|")
}

func shown(problems []Problem) string {
	var parts []string
	for _, p := range problems {
		mark := "left out: "
		if p.Notice {
			mark = "notice: "
		}
		parts = append(parts, mark+p.String())
	}
	return strings.Join(parts, "\n")
}

func TestProgram(t *testing.T) {
	tests := []struct {
		mode     string
		entries  string // tools|prompts|resources|templates; "" when there is an error
		version  string
		problems string
		err      string
		is       error
	}{
		{"plain", "a,b", "2025-11-25", "", "", nil},
		{"everything", "a,b|p|r:1|t:{x}", "2025-06-18", "", "", nil},
		{"old", "a,b", "2024-11-05", "", "", nil},
		{"modern", "a,b", "2026-07-28", "", "", nil},
		{"no tools", "", "2025-11-25", "", "", nil},
		{"crlf", "a,b", "2025-11-25", "", "", nil},
		{"split", "a,b", "2025-11-25", "", "", nil},
		{"banner", "a,b", "2025-11-25", `notice: standard output holds lines that are no messages of the protocol: 6 skipped, the first "Starting up…"`, "", nil},
		{"big", "a", "2025-11-25", "", "", nil},
		{"endless line", "", "", "", "the server sent a line of more than 64 MiB", ErrTooLarge},
		{"pages", "a,b|p,q|r:1,r:2|t:{x},u:{x}", "2025-06-18", "", "", nil},
		{"repeat", "", "", "", "listing tools: page 2: the server sent a cursor again", ErrCursor},
		{"empty cursor", "", "", "", "listing tools: page 1: the server sent an empty cursor", ErrCursor},
		{"number cursor", "", "", "", "nextCursor is not a string", ErrCursor},
		{"endless pages", "", "", "", "more than 1000 pages", ErrTooLarge},
		{"silent", "a,b", "2025-11-25", "", "", nil},
		{"confused", "a,b", "2025-11-25", "", "", nil},
		{"crash on discover", "a,b", "2025-11-25", "", "", nil},
		{"late", "a,b", "2026-07-28", "", "", nil},
		{"slow", "a,b", "2025-11-25", "", "", nil},
		{"hang", "", "", "", "the server did not answer within 2s", ErrTimeout},
		{"hang on tools", "", "", "", "listing tools: no answer within 2s", ErrTimeout},
		{"wrongid", "", "", "", "the server did not answer within 2s; answers with an id that was never sent: 1", ErrTimeout},
		{"quiet exit", "", "", "", "the server ended by itself (exit status 0)", nil},
		{"die", "", "", "", "the server ended by itself (exit status 3)\nlast lines of its standard error:\n  | first line\n  | no API key\\u001b[2J in [hidden]", nil},
		{"die on tools", "", "", "", "listing tools: the server ended by itself (exit status 2)\nlast lines of its standard error:\n  | panic: everything is lost", nil},
		{"malformed", "a,b", "2025-11-25", `left out: tool "bad": left out: "inputSchema" is null, want an object
left out: tool number 3 of the list is left out: "name" is missing
left out: tool number 4 of the list is left out: not an object
left out: tool number 5 of the list is left out: "name" is a number, want a string`, "", nil},
		{"duplicate key", "a", "2025-11-25", `left out: tool "bad": left out: `, "", nil},
		{"deep", "a", "2025-11-25", `left out: tool "deep": left out: `, "", nil},
		{"twins", "b", "2025-11-25", `left out: tool "a": left out: listed more than once with different definitions
notice: tool "b": listed more than once, always the same`, "", nil},
		{"not a list", "", "", "", `the result has no array "tools"`, nil},
		{"tools error", "", "", "", "not today", nil},
		{"no method", "a,b", "2025-06-18", `notice: prompts are announced, but prompts/list is not known to the server
notice: resources are announced, but resources/list is not known to the server`, "", nil},
		{"listerror", "a,b", "2025-06-18", `left out: prompts are left out: the server answers prompts/list with error -32603 "database\x1b[2J down"`, "", nil},
		{"odd capabilities", "a,b|p", "2025-11-25", `left out: serverInfo is left out: not an object
left out: instructions is left out: not a string`, "", nil},
		{"flood", "a", "2025-11-25", "", "", nil},
		{"endless flood", "", "", "", "the server sent more than 200000 messages", ErrTooLarge},
		{"changing", "a,b", "2025-11-25", "", "", nil},
		{"grandchild", "a,b", "2025-11-25", "", "", nil},
		{"stray", "a,b", "2025-11-25", "", "", nil},
		{"stubborn", "a,b", "2025-11-25", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			src, pids := fakeSource(t, tt.mode)
			src.Env["SECRET"] = "token-123456"
			src.Env["FAKE_SLOW"] = filepath.Join(t.TempDir(), "slow")
			o := Options{Timeout: 20 * time.Second}
			switch tt.mode {
			case "slow", "silent", "confused", "late", "hang", "hang on tools", "wrongid":
				o.Timeout = 2 * time.Second
			}
			r, err := Capture(t.Context(), src, o)
			checkEnded(t, pids())
			if n := len(pids()); tt.mode == "slow" && n != 1 {
				t.Errorf("a slow start was cut short: %d starts", n)
			}
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || r.Server != nil {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("error %v is not %v", err, tt.is)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := names(r.Server); got != tt.entries {
				t.Errorf("entries %s, want %s", got, tt.entries)
			}
			if r.Server.ProtocolVersion != tt.version {
				t.Errorf("version %s, want %s", r.Server.ProtocolVersion, tt.version)
			}
			if got := shown(r.Problems); !strings.HasPrefix(got, tt.problems) || tt.problems == "" && got != "" {
				t.Errorf("problems:\n%s\nwant:\n%s", got, tt.problems)
			}
			if want := !strings.Contains(shown(r.Problems), "left out: "); r.Complete() != want {
				t.Errorf("Complete() = %v", r.Complete())
			}
		})
	}
}

func TestExactValues(t *testing.T) {
	src, _ := fakeSource(t, "exact")
	r, err := Capture(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := string(canonjson.Append(nil, r.Server.Tools["a"].Fields()))
	const want = `{"execution":{"taskSupport":"optional"},"inputSchema":{"properties":{"n":{"maximum":9007199254740993,"x-mcp-header":"bad header"}},"type":"object"},"x-new":{"k":100}}`
	if got != want {
		t.Errorf("tool %s, want %s", got, want)
	}
	if r.Server.Instructions != "be kind" || r.Server.Info["name"] != "fake" {
		t.Errorf("head: %q %v", r.Server.Instructions, r.Server.Info)
	}
}

func TestBigDescription(t *testing.T) {
	src, _ := fakeSource(t, "big")
	r, err := Capture(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Server.Tools["a"].Description()); n != 2_000_000 {
		t.Errorf("description of %d bytes", n)
	}
}

func TestRequestsOfTheServer(t *testing.T) {
	src, _ := fakeSource(t, "asks")
	r, err := Capture(t.Context(), src, Options{Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Server.Tools["a"].Description()
	for _, want := range []string{`"id":"r","result":{"roots":[]}`, `"id":"s","error":`, "only reads the contract", `"id":"e","result":{"action":"decline"}`, `"id":"u","error":`} {
		if !strings.Contains(got, want) {
			t.Errorf("answers:\n%s\nhave no %s", got, want)
		}
	}
}

func TestGoroutines(t *testing.T) {
	for _, mode := range []string{"plain", "die", "hang", "grandchild", "endless line"} {
		t.Run(mode, func(t *testing.T) {
			goroutines(t)
			src, pids := fakeSource(t, mode)
			_, _ = Capture(t.Context(), src, Options{Timeout: 2 * time.Second})
			checkEnded(t, pids())
		})
	}
}

func TestCancel(t *testing.T) {
	goroutines(t)
	for _, mode := range []string{"hang", "hang on tools", "grandchild"} {
		src, pids := fakeSource(t, mode)
		ctx, cancel := context.WithCancel(t.Context())
		stage := Starting
		if mode == "hang on tools" {
			stage = Listing
		}
		o := Options{Progress: func(e Event) {
			if e.Stage == stage {
				time.AfterFunc(200*time.Millisecond, cancel)
			}
		}}
		if mode == "grandchild" {
			o.Progress = func(e Event) {
				if e.Stage == Listing {
					cancel()
				}
			}
		}
		_, err := Capture(ctx, src, o)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", mode, err)
		}
		checkEnded(t, pids())
		cancel()
	}
}

func TestCaptureAll(t *testing.T) {
	var sources []Source
	for i, mode := range []string{"plain", "die", "everything", "old", "quiet exit", "modern"} {
		src, _ := fakeSource(t, mode)
		src.Name = fmt.Sprint(i)
		sources = append(sources, src)
	}
	sources = append(sources, Source{Name: "6", Command: []string{"no-such-program-here"}}, Source{Name: "7", Err: errors.New("not configured")})
	var got []string
	for i, r := range CaptureAll(t.Context(), sources, Options{}) {
		if r.Name != fmt.Sprint(i) {
			t.Errorf("result %d is %s", i, r.Name)
		}
		got = append(got, fmt.Sprintf("%s %v", names(r.Server), r.Err != nil))
	}
	want := "a,b false; nil true; a,b|p|r:1|t:{x} false; a,b false; nil true; a,b false; nil true; nil true"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestSourceErrors(t *testing.T) {
	for _, tt := range []struct {
		src  Source
		want string
	}{
		{Source{Command: []string{"no-such-program-here"}}, `capturing server "x": starting: "no-such-program-here": no such program in PATH`},
		{Source{Command: []string{"./no/such"}}, `capturing server "x": starting: "./no/such": no such program at that path`},
		{Source{}, `capturing server "x": neither a command nor a URL is given`},
		{Source{Command: []string{""}}, `capturing server "x": neither a command nor a URL is given`},
		{Source{Command: []string{"a"}, URL: "http://b"}, `capturing server "x": both a command and a URL are given`},
		{Source{URL: "ftp://user:pass@b"}, `capturing server "x": the URL is not one of http or https with a host`},
		{Source{URL: "http://b", Transport: "stdio"}, `capturing server "x": transport "stdio" does not go with a URL: want http or sse`},
		{Source{Command: []string{"a"}, Transport: "http"}, `capturing server "x": transport "http" does not go with a command`},
	} {
		tt.src.Name = "x"
		_, err := Capture(t.Context(), tt.src, Options{})
		if err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// A capture of the same server gives the same bytes, and neither environment nor command is in them.
func TestResultHoldsNoSource(t *testing.T) {
	src, _ := fakeSource(t, "everything")
	src.Env["SECRET"] = "token-123456"
	src.Command = append(src.Command, "--secret-argument")
	r, err := Capture(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(FormatCapture(r.Server)) + shown(r.Problems)
	for _, secret := range []string{"token-123456", "secret-argument", src.Command[0]} {
		if strings.Contains(text, secret) {
			t.Errorf("the result holds %s", secret)
		}
	}
}
