package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// FuzzMembers holds the scanner against the decoder: on JSON that is legal they find the same.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{callOf("7", "search", stale), answerOf(`"\\\""`, toolError("x")), `{}`, ` { "a" : [ {"b":"]"} ] , "c":1e5 } `, `{"a":"\u0022","a":null}`, `{"a":}`, `{"a":1}}`, `{"a" 1}`, `[1]`, `{"\u0061":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := map[string]string{}
		ok := members(data, func(key, value []byte) { got[string(key)] = string(value) })
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if !ok || len(got) != len(want) && !bytes.Contains(data, []byte{'\\'}) && json.Valid(data) && !hasInvalidUTF8(data) {
			t.Fatalf("%q: %v, want %v", data, got, want)
		}
		for key, value := range want {
			if !hasInvalidUTF8(data) && got[key] != string(value) {
				t.Fatalf("%q: member %q is %q, want %q", data, key, got[key], value)
			}
		}
	})
}

func hasInvalidUTF8(b []byte) bool { return !bytes.Equal(bytes.ToValidUTF8(b, nil), b) }

// FuzzRewriter: whatever two sides say, nothing panics, the texts given are not written to, and what comes out is one line
// with the id of what went in.
func FuzzRewriter(f *testing.F) {
	for _, call := range []string{callOf("7", "search", stale), modern, callOf("7", "list_all", `{}`), callOf(`"x"`, "search", `{"topic":1e1000001}`), `[]`, strings.Repeat(`{"a":`, 300)} {
		for _, answer := range []string{answerOf("7", toolError(refusal)), faultOf("7", -32602, "no"), answerOf("7", `{"isError":true,"content":[null,5,{"type":"text"}]}`), `{"id":7,"id":7,"error":{"code":-32602}}`, `{"id":7,"result":{"isError":true},"error":null}`} {
			f.Add([]byte(call), []byte(answer), []byte(toolsOf(searchV2, list)))
		}
	}
	h := hooktest.Hook(f, []string{searchV1, listAll}, awareness.WithMode(awareness.Enrich))
	f.Fuzz(func(t *testing.T, call, answer, tools []byte) {
		r := NewRewriter(h)
		ask := func(_ context.Context, id string, request []byte) []byte {
			if !json.Valid(request) {
				t.Fatalf("an own request is not JSON: %q", request)
			}
			return []byte(answerOf(fmt.Sprintf("%q", id), string(tools)))
		}
		callBefore, answerBefore := bytes.Clone(call), bytes.Clone(answer)
		r.ClientMessage(call)
		out, wait := r.ServerMessage(answer)
		if wait != nil {
			out = r.Resolve(t.Context(), wait, ask)
		}
		if !bytes.Equal(call, callBefore) || !bytes.Equal(answer, answerBefore) {
			t.Fatal("a message was written to")
		}
		if out == nil {
			return
		}
		var before, after struct{ ID json.RawMessage }
		if json.Unmarshal(out, &after) != nil || bytes.ContainsAny(out, "\r\n") {
			t.Fatalf("%q became %q", answer, out)
		}
		if json.Unmarshal(answer, &before) != nil || !strings.EqualFold(string(before.ID), string(after.ID)) {
			t.Fatalf("id %s became %s", before.ID, after.ID)
		}
		if m, _ := readHead(out); !isTrue(m.result, "isError") || m.fault != nil {
			t.Fatalf("not a tool error: %s", out)
		}
	})
}
