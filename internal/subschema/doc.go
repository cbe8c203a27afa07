// Package subschema decides whether every value that one JSON Schema accepts is accepted by another: producer ⊆ consumer.
//
// [Compile] reads a schema of draft-04 to 2020-12, [Decide] answers compatible, incompatible with a witness, or undecided with
// the reason, and [Sample] returns a small value that a schema accepts.
//
// Compatible is a proof: the search for a value of producer ∧ ¬consumer is complete and has found none. Incompatible comes
// with a value that was checked twice, by an evaluator of this package and by the validator of package validate.
// Undecided names a limit of README.md, where the algebra, the search and its termination are described.
//
// Unless Options.Strict is set, new names are free: a name that only the consumer declares is not sent by the producer.
// README.md defines where that holds.
//
// Everything is bounded by a budget of steps, never of time, so that equal input gives equal results everywhere.
package subschema
