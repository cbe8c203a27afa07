package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A set is a set of characters as a class of a pattern states it.
type set struct {
	not    bool
	ranges []rune // pairs, inclusive
}

var (
	digits          = set{ranges: []rune{'0', '9'}}
	words           = set{ranges: []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}}
	lineTerminators = set{ranges: []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}}
	// White space and line terminators of ECMA-262: https://tc39.es/ecma262/#sec-white-space
	spaces = set{ranges: []rune{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029,
		0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}}
)

func chars(r rune) set { return set{ranges: []rune{r, r}} }

func (s set) single() (rune, bool) {
	if !s.not && len(s.ranges) == 2 && s.ranges[0] == s.ranges[1] {
		return s.ranges[0], true
	}
	return 0, false
}

func (s set) with(o set) set {
	return set{not: s.not, ranges: append(slices.Clip(s.ranges), o.ranges...)}
}

func (s set) negated() set { return set{not: !s.not, ranges: s.ranges} }

// complement spells the other characters out, for use inside a class. The ranges of s must be sorted.
func (s set) complement() set {
	var out []rune
	next := rune(0)
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] > next {
			out = append(out, next, s.ranges[i]-1)
		}
		next = max(next, s.ranges[i+1]+1)
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return set{ranges: out}
}

func (s set) format(char func(rune) string) string {
	if len(s.ranges) == 0 {
		// The empty class matches nothing, its negation everything; no engine has a spelling for them.
		s = set{not: !s.not, ranges: []rune{0, unicode.MaxRune}}
	}
	var b strings.Builder
	b.WriteByte('[')
	if s.not {
		b.WriteByte('^')
	}
	for i := 0; i < len(s.ranges); i += 2 {
		b.WriteString(char(s.ranges[i]))
		if s.ranges[i+1] != s.ranges[i] {
			b.WriteByte('-')
			b.WriteString(char(s.ranges[i+1]))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// nativeRune spells one character for package regexp, inside and outside of classes.
func nativeRune(r rune) string {
	if isAlnum(r) {
		return string(r)
	}
	return fmt.Sprintf(`\x{%x}`, r)
}

// ecmaRune does so for regexp2, which knows no escape beyond the basic plane.
func ecmaRune(r rune) string {
	if isAlnum(r) || r > 0xffff {
		return string(r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// propertyTable finds the table of \p{name}: a general category, a script, or a binary property.
func propertyTable(text string) *unicode.RangeTable {
	name, value, pair := strings.Cut(text, "=")
	if pair {
		switch name {
		case "Script", "sc", "Script_Extensions", "scx":
			return unicode.Scripts[value]
		case "General_Category", "gc":
			return categoryTable(value)
		}
		return nil
	}
	switch name {
	case "Any":
		return &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0, Hi: unicode.MaxRune, Stride: 1}}}
	case "ASCII":
		return &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 127, Stride: 1}}}
	case "Alphabetic", "Alpha", "Lowercase", "Lower", "Uppercase", "Upper":
		return derivedTable(name[0])
	}
	if t := categoryTable(name); t != nil {
		return t
	}
	return unicode.Properties[name]
}

func categoryTable(name string) *unicode.RangeTable {
	if long, ok := categoryNames[name]; ok {
		name = long
	}
	if len(name) > 2 {
		return nil
	}
	return unicode.Categories[name]
}

// categoryNames maps the long names of general categories to the short ones.
var categoryNames = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm",
	"Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc",
	"Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
	"Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
	"Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf",
	"Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
	"Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co",
}

// derivedTable makes the derived core properties from the tables they are defined by.
// https://www.unicode.org/reports/tr44/#DerivedCoreProperties.txt
func derivedTable(initial byte) *unicode.RangeTable {
	switch initial {
	case 'L':
		return union(unicode.Ll, unicode.Other_Lowercase)
	case 'U':
		return union(unicode.Lu, unicode.Other_Uppercase)
	}
	return union(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
}

func union(tables ...*unicode.RangeTable) *unicode.RangeTable {
	out := &unicode.RangeTable{}
	for _, t := range tables {
		for _, r := range t.R16 {
			out.R32 = append(out.R32, unicode.Range32{Lo: uint32(r.Lo), Hi: uint32(r.Hi), Stride: uint32(r.Stride)})
		}
		out.R32 = append(out.R32, t.R32...)
	}
	return out
}

// tableSet lists a table as sorted, merged ranges.
func tableSet(t *unicode.RangeTable) set {
	type span struct{ low, high rune }
	var spans []span
	add := func(low, high, stride rune) {
		if stride == 1 {
			spans = append(spans, span{low, high})
			return
		}
		for r := low; r <= high; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.low - b.low) })
	var s set
	for _, p := range spans {
		if n := len(s.ranges); n > 0 && p.low <= s.ranges[n-1]+1 {
			s.ranges[n-1] = max(s.ranges[n-1], p.high)
			continue
		}
		s.ranges = append(s.ranges, p.low, p.high)
	}
	return s
}
