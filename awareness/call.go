package awareness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A Call is one tools/call as the hook sees it.
type Call struct {
	Tool       *Tool  // the live definition, from Learn; nil: see Unknown
	Arguments  []byte // JSON as sent; empty and null are {}
	Caller     string // tells callers apart, for repeats; a session id, or ""; it is kept as a hash only
	Client     Client // the program that calls, for events
	ServerText string // Explain: what the server answered
}

// A Status is what a hook found out about a call.
type Status uint8

const (
	Valid   Status = iota // the arguments fit, or nothing is to be said
	Invalid               // the arguments do not fit
	Gone                  // the tool or action does not exist any more
	Skipped               // the hook could not judge; the call passes untouched
)

// A Verdict is what to do with a call.
type Verdict struct {
	Status   Status
	Envelope envelope.Envelope // what to answer; nil: leave the call, or the server's answer, untouched
	Replace  bool              // Explain: the envelope takes the place of the server's text; otherwise it is added to it
	Stale    bool              // the arguments were right under a baseline
	Baseline int               // which, 0 is the newest; meaningless unless Stale
	Err      error             // why Skipped
}

// Check judges a call before the handler. In mode Enforce a Verdict with an envelope is the answer, and the handler is not
// called. In mode Observe the call is judged and reported to the events only. In mode Enrich it does nothing, at no cost.
func (h *Hook) Check(c Call) (v Verdict) {
	if h.mode == Enrich || c.Tool == nil {
		return Verdict{}
	}
	defer h.guard(&v, c.Tool.name, c.Client)
	arguments, err := readArguments(c.Arguments)
	if err == errArguments {
		v = h.notObject(c)
	} else if err != nil {
		return h.skip(c.Tool.name, c.Client, err)
	} else if fits, err := c.Tool.fits(arguments); err != nil {
		return h.skip(c.Tool.name, c.Client, err)
	} else if !fits {
		v = h.explain(c, arguments)
	}
	if h.mode == Observe {
		v.Envelope = nil
	}
	return v
}

// notObject judges arguments that are a list or a scalar: not every SDK answers them, and a handler would see them. Nothing
// about the contract explains them.
func (h *Hook) notObject(c Call) Verdict {
	fits, tree, err := c.Tool.takes(c.Arguments)
	if err != nil {
		return h.skip(c.Tool.name, c.Client, err)
	}
	if fits {
		return Verdict{}
	}
	h.decided(Event{Tool: c.Tool.name, Client: c.Client, Repeat: h.repeat(c)})
	// What was sent is not shown: without names nobody can tell a secret.
	issue := envelope.Issue{Keyword: "type", Expected: "object", Received: tree, Sent: true, Secret: true}
	return Verdict{Status: Invalid, Envelope: h.limits.Validation(c.Tool.name, issue)}
}

// takes reports whether the schema accepts arguments that are no object.
func (t *Tool) takes(arguments []byte) (fits bool, tree any, err error) {
	gate, err := t.gate()
	if err != nil {
		return false, nil, err
	}
	if tree, err = canonjson.Decode(arguments); err != nil {
		return false, nil, withoutPlace(err)
	}
	fits, err = gate.Valid(tree)
	return fits, tree, withoutPlace(err)
}

// fits asks the gate, which refuses only what surely does not fit.
func (t *Tool) fits(arguments map[string]any) (bool, error) {
	gate, err := t.gate()
	if err != nil {
		return false, err
	}
	fits, err := gate.Valid(arguments)
	return fits, withoutPlace(err)
}

// Fits reports whether arguments fit the schema of a tool, as Check judges them, but makes no event and leaves no trace. The
// error says why it cannot be told; such a call passes.
func (h *Hook) Fits(t *Tool, arguments []byte) (fits bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			fits, err = false, fault(r)
		}
	}()
	tree, err := readArguments(arguments)
	switch err {
	case nil:
		return t.fits(tree)
	case errArguments:
		fits, _, err = t.takes(arguments)
	}
	return fits, err
}

// Knows reports whether some baseline has a tool of this name.
func (h *Hook) Knows(name string) bool {
	for _, baseline := range h.baselines {
		if _, ok := baseline.Tools[name]; ok {
			return true
		}
	}
	return false
}

// Explain judges a call that the server answered with an error. The envelope, if any, is for the model: it takes the place
// of the server's text where that is a known refusal of arguments, and is added to it otherwise. Arguments that fit are
// not explained.
func (h *Hook) Explain(c Call) (v Verdict) {
	if c.Tool == nil || IsEnvelope(c.ServerText) {
		return Verdict{}
	}
	defer h.guard(&v, c.Tool.name, c.Client)
	known := IsRefusal(c.ServerText)
	switch arguments, err := readArguments(c.Arguments); {
	case err == errArguments:
		v = h.notObject(c)
	case err != nil:
		return h.skip(c.Tool.name, c.Client, err)
	default:
		if v = h.explain(c, arguments); v.Status == Valid && known {
			v = h.explainRefusal(c, arguments)
		}
	}
	v.Replace = known && v.Envelope != nil
	if v.Envelope != nil && v.Replace {
		v.Envelope = withServerText(v.Envelope, c.ServerText, h.limits)
	}
	if h.mode == Observe {
		v.Envelope = nil
	}
	return v
}

// guard turns a panic of the hook into "untouched".
func (h *Hook) guard(v *Verdict, tool string, client Client) {
	if r := recover(); r != nil {
		*v = h.skip(tool, client, fault(r))
	}
}

// fault words a panic. What is not a complaint of the runtime may quote an argument: only its type is told.
func fault(r any) error {
	if complaint, ok := r.(runtime.Error); ok {
		return fmt.Errorf("fault in the hook: %v", complaint)
	}
	return fmt.Errorf("fault in the hook: %T", r)
}

func (h *Hook) skip(tool string, client Client, err error) Verdict {
	h.event(Event{Kind: FailedOpen, Tool: tool, Client: client, Reason: err.Error()})
	return Verdict{Status: Skipped, Err: err}
}

var errArguments = errors.New("arguments are not a JSON object")

// readArguments reads the arguments as the SDKs do: none and null are {}, of two equal keys the last wins. What is not an
// object is errArguments.
func readArguments(data []byte) (map[string]any, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || string(data) == "null" {
		return map[string]any{}, nil
	}
	tree, err := canonjson.DecodeLimits(data, canonjson.Limits{Bytes: 64 << 20, Depth: 200, NumberDigits: 1100})
	if err != nil {
		var syntax *canonjson.SyntaxError
		if !errors.As(err, &syntax) || syntax.Kind != canonjson.DuplicateKey {
			return nil, fmt.Errorf("arguments: %w", withoutPlace(err))
		}
		if tree, err = readLastWins(data); err != nil {
			return nil, err
		}
	}
	arguments, ok := tree.(map[string]any)
	if !ok {
		return nil, errArguments
	}
	return arguments, nil
}

// withoutPlace keeps names and values out of the text of an error about arguments, which goes to a log: they are none of the
// log's business.
func withoutPlace(err error) error {
	var unjudged *validate.Error
	if errors.As(err, &unjudged) {
		return fmt.Errorf("arguments: %w", unjudged.Kind)
	}
	var syntax *canonjson.SyntaxError
	if errors.As(err, &syntax) {
		switch syntax.Kind {
		case canonjson.TooLarge:
			return errors.New("beyond the bounds")
		case canonjson.BadText:
			return errors.New("not legal text")
		}
		return errors.New("not JSON")
	}
	return err
}

func readLastWins(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, errors.New("arguments: not JSON")
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, errors.New("arguments: not JSON")
	}
	tree, err = canonjson.Decode(text)
	return tree, withoutPlace(err)
}

// fullName is the tool's name, with the action if the arguments name one that the contract knows, in either version.
func (t *Tool) fullName(arguments map[string]any, p *past) (full, action string) {
	if d, ok := t.discriminate(); ok {
		if action, ok := actionOf(d, arguments); ok {
			return t.name + "." + action, action
		}
	}
	if p != nil {
		if d, ok := p.discriminate(); ok {
			if action, ok := actionOf(d, arguments); ok {
				return t.name + "." + action, action
			}
		}
	}
	return t.name, ""
}

// actionOf is the action that the arguments ask for, if there is one of that name. Names are compared whole.
func actionOf(d lockfile.Discriminator, arguments map[string]any) (string, bool) {
	value, _ := arguments[d.Property].(string)
	if !named(d, value) {
		return "", false
	}
	return value, true
}

func named(d lockfile.Discriminator, action string) bool {
	return slices.ContainsFunc(d.Actions, func(a lockfile.Action) bool { return a.Name == action })
}
