package envelope

// An Issue is one reason why a validator refused the arguments of a call. It is a plain struct, so that any validator can
// fill it. [Validation] turns issues into the lines a model reads; only Keyword is needed for a useful line, each further
// part makes it sharper.
//
// For required, additionalProperties and propertyNames, Path is the object and Property the member. Received may then be the
// object (only its names are used), the value of the member, or nothing.
//
// Values (Expected, Received, the contents of Schema) use the plain JSON tree: nil, bool, string, json.Number or another
// Go number, []any and map[string]any.
type Issue struct {
	Path     string         // RFC 6901 pointer into the arguments; "" is the arguments object itself
	Keyword  string         // the JSON Schema keyword that failed: required, type, enum, oneOf, …
	Expected any            // the keyword's value in the schema (nil for required)
	Received any            // the value at Path (or of Property in it); meaningless unless Sent
	Sent     bool           // false: nothing was sent at Path
	Property string         // required: the missing name; additionalProperties: the undeclared name; propertyNames: the bad name
	Known    []string       // names declared at this place, sorted; for advice on the nearest name
	Schema   map[string]any // the sub-schema that holds Keyword (for required: the missing property's); may be nil
	Secret   bool           // the value must not be shown, whatever its name
	Needed   bool           // type: the value may not be left out either
	Moved    []Move         // where what was sent here belongs now, or what belongs here was sent, if that is known
	Branches [][]Issue      // oneOf and anyOf: the issues of each branch, fewest first
}

// A Move says that a value belongs to another place since the contract changed.
type Move struct {
	From, To string         // RFC 6901 pointers into the arguments
	Value    any            // what was sent at From
	Schema   map[string]any // of the value at To; may be nil
}
