package lockfile

import (
	"errors"
	"fmt"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The ways in which a text is not a lockfile. A *ParseError wraps one of them; use errors.Is.
var (
	ErrNewer      = errors.New("written by a newer fusionctl")
	ErrEdited     = errors.New("digest does not match")
	ErrConflict   = errors.New("unresolved merge conflict")
	ErrTruncated  = errors.New("cut file")
	ErrDuplicate  = errors.New("duplicate key")
	ErrSyntax     = errors.New("not JSON")
	ErrEncoding   = errors.New("not plain UTF-8")
	ErrNotLock    = errors.New("not a lockfile")
	ErrType       = errors.New("wrong type")
	ErrMissing    = errors.New("missing part")
	ErrUnknown    = errors.New("unknown part")
	ErrDefinition = errors.New("not a legal definition")
)

// A ParseError says where a text is not a lockfile, why, and what to do.
type ParseError struct {
	Line, Column int    // from 1; 0 when no place can be named
	Pointer      string // RFC 6901 pointer; "" is the whole file
	Problem      string // what is wrong
	Hint         string // what to do
	Kind         error  // one of the sentinel errors
}

func (e *ParseError) Error() string {
	switch {
	case e.Line == 0:
		return e.Problem
	case e.Pointer == "":
		return fmt.Sprintf("line %d column %d: %s", e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("line %d column %d (at %s): %s", e.Line, e.Column, canonjson.ShowPointer(e.Pointer), e.Problem)
}

// Unwrap makes errors.Is find the kind of the error.
func (e *ParseError) Unwrap() error { return e.Kind }

const (
	hintRelock    = `restore the committed file, or delete it and run "fusionctl lock"; a lockfile is never edited by hand`
	hintUpgrade   = "upgrade fusionctl"
	hintConflict  = `take either side and run "fusionctl lock", or let "fusionctl git install" merge lockfiles from now on`
	hintDuplicate = `was it merged by hand? ` + hintRelock
	hintEncoding  = `an editor or a shell saved it in another encoding: restore the committed file, or delete it and run "fusionctl lock"`
	hintManifest  = `to read a list of tools, use "fusionctl lock --from FILE"`
)
