package subschema

import "github.com/fusionctl/fusionctl/internal/validate"

// Validator returns the independent validator of the schema, made on first use: the one that checks witnesses.
func (s *Schema) Validator(assertFormat bool) (*validate.Schema, error) {
	if assertFormat {
		return s.validators[1]()
	}
	return s.validators[0]()
}

// checkUnless is check, or nothing when the caller asked to check the witness itself.
func (s *search) checkUnless(unchecked bool, v any, pl, cl lit, root int32, producer, consumer *Schema, o Options) string {
	if unchecked {
		return ""
	}
	return s.check(v, pl, cl, root, producer, consumer, o)
}
