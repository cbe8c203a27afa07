package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// junitForm says in our own words what the XSD of Jenkins allows: the children of an element in their order, which of them
// stand at most once, and the attributes, of which a "!" marks the required ones.
var junitForm = map[string]struct {
	children, once, attributes []string
	text                       bool
}{
	"testsuites": {children: []string{"testsuite"}, attributes: []string{"name", "time", "tests", "failures", "disabled", "errors"}},
	"testsuite": {children: []string{"properties", "testcase", "system-out", "system-err"}, once: []string{"properties", "system-out", "system-err"},
		attributes: []string{"name!", "tests!", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"}},
	"testcase": {children: []string{"skipped", "error", "failure", "system-out", "system-err"}, once: []string{"skipped"},
		attributes: []string{"name!", "assertions", "time", "classname", "status"}},
	"failure":    {attributes: []string{"type", "message"}, text: true},
	"system-out": {text: true},
}

// checkJUnitForm returns what is wrong with a JUnit file, nil when nothing is.
func checkJUnitForm(text string) error {
	type open struct {
		name     string
		children []string
	}
	var stack []open
	rooted := false
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && rooted:
			return nil
		case err != nil:
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if err := checkAttributes(name, token.Attr); err != nil {
				return err
			}
			rooted = true
			if len(stack) == 0 && name != "testsuites" {
				return fmt.Errorf("the root is <%s>", name)
			}
			if len(stack) > 0 {
				top := &stack[len(stack)-1]
				top.children = append(top.children, name)
			}
			stack = append(stack, open{name: name})
		case xml.EndElement:
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if err := checkChildren(top.name, top.children); err != nil {
				return err
			}
		case xml.CharData:
			if strings.TrimSpace(string(token)) != "" && (len(stack) == 0 || !junitForm[stack[len(stack)-1].name].text) {
				return fmt.Errorf("text %q where none is allowed", token)
			}
		}
	}
}

func checkAttributes(element string, attributes []xml.Attr) error {
	form, ok := junitForm[element]
	if !ok {
		return fmt.Errorf("unknown element <%s>", element)
	}
	var given []string
	for _, a := range attributes {
		given = append(given, a.Name.Local)
		if !slices.Contains(form.attributes, a.Name.Local) && !slices.Contains(form.attributes, a.Name.Local+"!") {
			return fmt.Errorf("<%s> has the attribute %s", element, a.Name.Local)
		}
	}
	for _, a := range form.attributes {
		if name, required := strings.CutSuffix(a, "!"); required && !slices.Contains(given, name) {
			return fmt.Errorf("<%s> has no attribute %s", element, name)
		}
	}
	return nil
}

func checkChildren(element string, children []string) error {
	form, last := junitForm[element], 0
	for i, child := range children {
		at := slices.Index(form.children, child)
		if at < last {
			return fmt.Errorf("<%s> in <%s> is not allowed, or not there", child, element)
		}
		last = at
		if slices.Contains(form.once, child) && slices.Contains(children[:i], child) {
			return fmt.Errorf("<%s> twice in <%s>", child, element)
		}
	}
	return nil
}

// TestJUnitForm checks the form of the files where TestOfficialJUnit cannot run.
func TestJUnitForm(t *testing.T) {
	for name, r := range manyReports(t) {
		if err := checkJUnitForm(write(t, "junit", r, Options{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{
		``, `<testsuite name="a" tests="1"/>`, `<testsuites><testcase name="a"/></testsuites>`, `<testsuites><testsuite tests="1"/></testsuites>`,
		`<testsuites><testsuite name="a" tests="1" extra=""/></testsuites>`, `<testsuites>text</testsuites>`, `<testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="b"><system-out/><failure/></testcase></testsuite></testsuites>`,
	} {
		if checkJUnitForm(bad) == nil {
			t.Errorf("nothing wrong with %q", bad)
		}
	}
}
