// Package diff compares two contracts and says what breaks, each break proved by a value.
//
// Start with [Compare]; its result is a [Report], a list of [ContractDiff], each a list of [Change]. Every kind of change
// is a [Rule]; [Rules] lists them. README.md beside this file defines what "compatible" means, keyword by keyword.
//
// For schemas one question decides: is every value that the producer's schema allows allowed by the consumer's? On the
// input side the baseline produces (a caller that learned it) and the revision consumes; on the output side the other
// way round. Rules only name and explain a difference. What cannot be decided is a change of severity [Risky] with the
// reason; it is never called safe and never dropped.
//
// Results depend on nothing but the two contracts and the options: not on map order, time, locale or the machine.
package diff

//go:generate go test -run TestRulesPage -update .
