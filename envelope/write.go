package envelope

import "strconv"

// A writer appends indented XML. Its methods mirror the few shapes that an envelope has.
type writer struct {
	buf   []byte
	depth int
}

func (w *writer) line() {
	if w.depth == 0 {
		return
	}
	w.buf = append(w.buf, '\n')
	for range w.depth {
		w.buf = append(w.buf, "  "...)
	}
}

// start begins a tag on a line of its own; attr, then enter or text follow.
func (w *writer) start(name string) {
	w.line()
	w.buf = append(w.buf, '<')
	w.buf = append(w.buf, name...)
}

func (w *writer) attr(name, value string) {
	w.buf = append(w.buf, ' ')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '=', '"')
	w.buf = appendAttr(w.buf, value)
	w.buf = append(w.buf, '"')
}

// enter ends the start tag of an element that has children.
func (w *writer) enter() {
	w.buf = append(w.buf, '>')
	w.depth++
}

// text ends the start tag of an element that has only text, and the element.
func (w *writer) text(name, content string) {
	w.buf = append(w.buf, '>')
	w.buf = appendContent(w.buf, content)
	w.end(name)
}

func (w *writer) end(name string) {
	w.buf = append(w.buf, '<', '/')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '>')
}

func (w *writer) open(name string) {
	w.start(name)
	w.enter()
}

func (w *writer) close(name string) {
	w.depth--
	if w.depth == 0 {
		w.buf = append(w.buf, '\n')
	}
	w.line()
	w.end(name)
}

// leaf writes an element with text, or nothing when the text is empty.
func (w *writer) leaf(name, content string) {
	if content == "" {
		return
	}
	w.start(name)
	w.text(name, content)
}

func (w *writer) number(name string, n int) {
	w.start(name)
	w.buf = append(w.buf, '>')
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
	w.end(name)
}

// notShown says how many entries a limit left out.
func (w *writer) notShown(n int, after string) {
	if n <= 0 {
		return
	}
	w.start("not_shown")
	w.buf = append(w.buf, '>')
	if after == "" {
		w.buf = append(w.buf, "and "...)
		after = " more"
	}
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
	w.buf = append(w.buf, after...)
	w.end("not_shown")
}
