package regular

import (
	"strings"
	"unicode"
)

// property reads {Name} or {Name=Value} behind \p or \P.
func (p *parser) property(neg bool) (charset, error) {
	if !p.accept("{") {
		return nil, p.syntax("invalid property escape")
	}
	start := p.pos
	for c := p.peek(); c != '}'; c = p.peek() {
		if !isASCIILetter(c) && c != '_' && c != '=' && (c < '0' || c > '9') {
			return nil, p.syntax("invalid property escape")
		}
		p.pos++
	}
	text := string(p.text[start:p.pos])
	p.pos++
	set, ok := p.properties[text]
	if !ok {
		if set, ok = lookupProperty(text); !ok {
			return nil, p.fail(ErrNotRegular, "property %q is not in the tables", text)
		}
		if p.properties == nil {
			p.properties = map[string]charset{}
		}
		p.properties[text] = set
	}
	if p.work += len(set); p.work > maxSets {
		return nil, p.fail(ErrTooLarge, "the sets of the pattern are too large")
	}
	if neg {
		set = set.negate()
	}
	return set, nil
}

// lookupProperty finds the set for what stands in the braces of \p{…}. Names are compared exactly, as ECMA-262 demands.
func lookupProperty(text string) (charset, bool) {
	name, value, hasValue := strings.Cut(text, "=")
	if !hasValue {
		if set, ok := category(name); ok {
			return set, true
		}
		return binaryProperty(name)
	}
	switch name {
	case "General_Category", "gc":
		return category(value)
	case "Script", "sc":
		if long, ok := scriptAliases[value]; ok {
			value = long
		}
		if t, ok := unicode.Scripts[value]; ok {
			return fromTables(t), true
		}
	}
	return nil, false
}

func category(name string) (charset, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	switch name {
	case "C", "Other": // Go's table C has no unassigned code points in some releases
		return fromTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).negate(), true
	case "Cn", "Unassigned":
		return assigned().negate(), true
	case "Cs", "Surrogate":
		return charset{}, true
	case "LC", "Cased_Letter":
		return fromTables(unicode.Lu, unicode.Ll, unicode.Lt), true
	case "punct":
		return fromTables(unicode.P), true
	}
	if t, ok := unicode.Categories[name]; ok {
		return fromTables(t), true
	}
	return nil, false
}

func assigned() charset {
	return fromTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
}

// binaryAliases are the short names of the binary properties that we have.
var binaryAliases = map[string]string{
	"AHex": "ASCII_Hex_Digit", "Alpha": "Alphabetic", "Bidi_C": "Bidi_Control", "Dep": "Deprecated", "Dia": "Diacritic", "Ext": "Extender", "EComp": "Emoji_Component", "EMod": "Emoji_Modifier",
	"EBase": "Emoji_Modifier_Base", "EPres": "Emoji_Presentation", "ExtPict": "Extended_Pictographic", "Hex": "Hex_Digit",
	"IDC": "ID_Continue", "IDS": "ID_Start", "Ideo": "Ideographic", "IDSB": "IDS_Binary_Operator",
	"IDST": "IDS_Trinary_Operator", "Join_C": "Join_Control", "LOE": "Logical_Order_Exception", "Lower": "Lowercase",
	"NChar": "Noncharacter_Code_Point", "Pat_Syn": "Pattern_Syntax", "Pat_WS": "Pattern_White_Space", "QMark": "Quotation_Mark",
	"RI": "Regional_Indicator", "SD": "Soft_Dotted", "STerm": "Sentence_Terminal", "Term": "Terminal_Punctuation",
	"UIdeo": "Unified_Ideograph", "Upper": "Uppercase", "VS": "Variation_Selector", "space": "White_Space",
}

// plainProperties are those that Go's tables hold under the same name and that ECMA-262 lists.
var plainProperties = map[string]bool{
	"ASCII_Hex_Digit": true, "Bidi_Control": true, "Dash": true, "Deprecated": true, "Diacritic": true, "Extender": true,
	"Hex_Digit": true, "IDS_Binary_Operator": true, "IDS_Trinary_Operator": true, "Ideographic": true, "Join_Control": true,
	"Logical_Order_Exception": true, "Noncharacter_Code_Point": true, "Pattern_Syntax": true, "Pattern_White_Space": true,
	"Quotation_Mark": true, "Radical": true, "Regional_Indicator": true, "Sentence_Terminal": true, "Soft_Dotted": true,
	"Terminal_Punctuation": true, "Unified_Ideograph": true, "Variation_Selector": true, "White_Space": true,
}

func binaryProperty(name string) (charset, bool) {
	if long, ok := binaryAliases[name]; ok {
		name = long
	}
	if plainProperties[name] {
		return fromTables(unicode.Properties[name]), true
	}
	if set, ok := emojiProperties[name]; ok {
		return set, true
	}
	return derivedProperty(name)
}

// derivedProperty computes properties as DerivedCoreProperties.txt of the Unicode database defines them.
func derivedProperty(name string) (charset, bool) {
	switch name {
	case "Any":
		return anySet, true
	case "ASCII":
		return charset{{0, 0x7F}}, true
	case "Assigned":
		return assigned(), true
	case "Lowercase":
		return fromTables(unicode.Ll, unicode.Other_Lowercase), true
	case "Uppercase":
		return fromTables(unicode.Lu, unicode.Other_Uppercase), true
	case "Math":
		return fromTables(unicode.Sm, unicode.Other_Math), true
	case "Alphabetic":
		return fromTables(unicode.Lu, unicode.Ll, unicode.Other_Lowercase, unicode.Other_Uppercase,
			unicode.Lt, unicode.Lm, unicode.Lo, unicode.Nl, unicode.Other_Alphabetic), true
	case "ID_Start":
		return idStart(), true
	case "ID_Continue":
		more := fromTables(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		return idStart().union(more.minus(patternOnly())), true
	}
	return nil, false
}

func idStart() charset {
	return fromTables(unicode.L, unicode.Nl, unicode.Other_ID_Start).minus(patternOnly())
}

func patternOnly() charset { return fromTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space) }

// scriptAliases are the four-letter codes of ISO 15924 for scripts in living use.
var scriptAliases = map[string]string{
	"Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Bopo": "Bopomofo", "Brai": "Braille", "Cans": "Canadian_Aboriginal",
	"Cher": "Cherokee", "Copt": "Coptic", "Qaac": "Coptic", "Cyrl": "Cyrillic", "Deva": "Devanagari", "Ethi": "Ethiopic",
	"Geor": "Georgian", "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi", "Hang": "Hangul", "Hani": "Han",
	"Hebr": "Hebrew", "Hira": "Hiragana", "Kana": "Katakana", "Khmr": "Khmer", "Knda": "Kannada", "Laoo": "Lao",
	"Latn": "Latin", "Mlym": "Malayalam", "Mong": "Mongolian", "Mymr": "Myanmar", "Orya": "Oriya", "Sinh": "Sinhala",
	"Syrc": "Syriac", "Taml": "Tamil", "Telu": "Telugu", "Tfng": "Tifinagh", "Thaa": "Thaana", "Thai": "Thai",
	"Tibt": "Tibetan", "Yiii": "Yi", "Zinh": "Inherited", "Qaai": "Inherited", "Zyyy": "Common",
}
