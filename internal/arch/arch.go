// Package arch holds no code: its test checks that the packages of this module import one another in one direction only,
// and that each third-party library stays behind the one package that adapts it.
//
// The table is in the test. A package that is missing from it fails the test, so a new package gets its place on purpose.
package arch
