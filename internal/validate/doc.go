// Package validate is the validator santhosh-tekuri/jsonschema/v5 behind guards. Start from [Compile], [Schema.Valid] and
// [Schema.Validate].
//
// Schemas and values are the plain trees of package canonjson. What the guards ensure:
//
//   - No input panics, reads a file or the network, or runs without end: schemas and values are measured first, numbers
//     of absurd size are refused, and the number of steps that a validation can take is computed before it starts.
//     What is beyond the bounds is an error ("could not validate"), never a verdict.
//   - The dialect is the one of $schema; where that is absent, 2020-12, then draft-07, then draft-04 are tried.
//   - format is an annotation unless AssertFormat is set; contentEncoding and contentMediaType always are.
//   - Patterns are read as ECMA-262 says. What Go's regexp can express is translated; what it cannot (look-around, back
//     references) is left to a backtracking engine with a time limit when ECMAPatterns is set, and otherwise not
//     enforced. A constraint that is not enforced is listed by [Schema.Dropped], and nothing is refused because of
//     its absence: what stands around it (not, oneOf, if, additionalProperties …) is relaxed with it.
//   - Issues come in the same order every time, without the library's wording.
//
// Limits: an embedded resource of another dialect is refused; of the meta-schemas only the whole document can be referred
// to, not a part of it; $dynamicRef is not followed through every dynamic scope (the tests list the cases).
package validate
