package envelope

// formats words each format that the standard defines. The e-mail line has no example because none is needed.
var formats = map[string]struct{ problem, expected string }{
	"email":                 {"Invalid email format", "a valid email address"},
	"idn-email":             {"Invalid email format", "a valid email address"},
	"date":                  {"Invalid date format", "a date such as 2026-01-31"},
	"date-time":             {"Invalid date-time format", "a date and time with offset, such as 2026-01-31T09:30:00Z"},
	"time":                  {"Invalid time format", "a time with offset, such as 09:30:00Z"},
	"duration":              {"Invalid duration format", "an ISO 8601 duration such as P3DT4H"},
	"uri":                   {"Invalid URI format", "an absolute URI such as https://example.com/path"},
	"iri":                   {"Invalid IRI format", "an absolute IRI such as https://example.com/path"},
	"uri-reference":         {"Invalid URI reference format", "a URI or a relative reference such as ../path"},
	"iri-reference":         {"Invalid IRI reference format", "an IRI or a relative reference such as ../path"},
	"uri-template":          {"Invalid URI template format", "a URI template such as https://example.com/{id}"},
	"url":                   {"Invalid URL format", "an absolute URL such as https://example.com/path"},
	"hostname":              {"Invalid host name format", "a host name such as api.example.com"},
	"idn-hostname":          {"Invalid host name format", "a host name such as api.example.com"},
	"ipv4":                  {"Invalid IPv4 format", "an IPv4 address such as 192.0.2.1"},
	"ipv6":                  {"Invalid IPv6 format", "an IPv6 address such as 2001:db8::1"},
	"uuid":                  {"Invalid UUID format", "a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
	"json-pointer":          {"Invalid JSON pointer format", "a JSON pointer such as /items/0"},
	"relative-json-pointer": {"Invalid relative JSON pointer format", "a relative JSON pointer such as 1/name"},
	"regex":                 {"Invalid regular expression", "a regular expression such as ^[a-z]+$"},
	"byte":                  {"Invalid base64 text", "base64 text such as aGVsbG8="},
	"int32":                 {"Not a 32-bit integer", "a whole number from -2147483648 to 2147483647"},
	"int64":                 {"Not a 64-bit integer", "a whole number of at most 64 bits, such as 42"},
	"password":              {"Invalid value", "a string"},
}

func known(format string) bool {
	_, ok := formats[format]
	return ok
}

func formatProblem(v any) string {
	name, _ := v.(string)
	if f, ok := formats[name]; ok {
		return f.problem
	}
	return "Invalid format"
}

func formatExpected(v any) string {
	name, _ := v.(string)
	if f, ok := formats[name]; ok {
		return f.expected
	}
	return "a value of the format " + quote(clean(name, 40))
}
