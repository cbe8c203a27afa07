// Package regular decides questions about the strings that a JSON Schema describes.
//
// A [Language] is an immutable set of strings over the Unicode code points without surrogates, the characters of JSON
// text. [Compile] makes one from an ECMA-262 pattern (search semantics: all strings in which the pattern is found),
// [Words] from constants, [Length] from minLength and maxLength. They are closed under [Intersect], [Union], [Minus] and
// [Complement]; [Subset], [Equal] and [EmptyWithin] are exact; [Find] gives the shortest and most readable members.
//
// # How
//
// A pattern is parsed, turned into a nondeterministic program over character sets, and determinised over a compressed
// alphabet: code points that no set of the pattern tells apart are one letter. An assertion (^, $, \b) is decided when
// the next character is known, so it may stand anywhere. A look-ahead starts an automaton of its own: a thread of the
// program carries the states of the look-aheads it has passed, and counts only if all of them accept at the end. That
// is exact at any place, also inside of repetitions. A look-behind that asks nothing about what follows is an automaton
// that runs beside the others from the start of the string. Results are minimised and numbered canonically.
//
// Beside the automaton stands the length: a Language is a list of intervals of lengths, each with an automaton of its
// own, so that minLength 1000000000 or ^[a-z]{1,65535}$ costs nothing. Whether an automaton accepts any string with a
// length in an interval is decided on the sequence of state sets reachable after 0, 1, 2 … characters: it ends in a
// cycle, which is either found by walking or jumped over by squaring the reachability matrix.
//
// # Why it terminates
//
// There are finitely many program positions, finitely many look-ahead states, hence finitely many sets of threads. They
// can still be exponentially many: every step is charged to a [Budget], which counts and does not look at the clock, so
// that equal input ends equally everywhere. When it is used up the answer is [ErrTooLarge]. Nesting is bounded as well.
//
// # What is given up
//
//   - Back references, look-behind over assertions or look-aheads, the modifier m, and i together with \W, \P, \b or a
//     pattern that is illegal with the u flag: [ErrNotRegular]. So are properties of Unicode that Go's tables do not
//     hold (Script_Extensions among them), named in the error. The tables are those of the Go release in use, save for
//     the emoji properties (Unicode 17).
//   - A pattern is read with the u flag first. One that is only legal without it is read by the lenient grammar of Annex
//     B but still over code points, not UTF-16 units, because that is what validators do. Where the lenient grammar gives
//     a meaning that nobody intends and no two engines share (\A is the letter A, \p{L} the text "p{L}"), the answer is
//     ErrNotRegular too. [Opaque] runs such patterns in a backtracking engine, with a time limit.
//   - An empty match of \B inside of a surrogate pair, which V8 finds although the u flag forbids it, is not found.
//   - A member longer than [MaxMember] code points is known to exist but not spelled out.
package regular
