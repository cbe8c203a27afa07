// Package envelope writes the errors of an MCP server as messages to the language model that made the call. It imports only
// the standard library.
//
// An error of a tool is read in the next turn by a model, acted on or lost. So it says what was wrong, what was sent, what is
// expected and what to do next. Start from [New] (an error with code, message and recovery), [Validation] (one line per wrong
// argument) and [From] (any Go error of a handler). On the client side, [Parse] and [AsError] read the text back.
//
// # Two ways to fail
//
// A wiser model could have avoided it: a *[ToolError] or *[ValidationError], sent as the text of a tool result with isError as
// [ToolError.IsError] says. A wiser model could not: a *[ProtocolError], sent as a JSON-RPC error and read by the host, such as
// [ResourceNotFound].
//
// # Form
//
//	<tool_error code="…" severity="…">            <validation_error action="…">
//	  <message>                                     <field name="…">  (one per problem)
//	  <recovery>                                    <not_shown>
//	  <available_actions>                           <recovery>
//	    <action>, <not_shown>                       <example>
//	  <details>                                     <contract_awareness>
//	    <detail key="…">, <not_shown>                 <system_note>, <instructions>, <change_count>, <max_severity>,
//	  <retry_after>                                   <contract_changes>, <not_shown>
//	  <contract_awareness>
//
// The order is fixed, elements that are not set are left out. Content escapes "&" and "<" (and the ">" of "]]>", which XML
// forbids), attributes also ">" and quotes. A string value stands in quotes that it cannot close, 'x' or "it's" with JSON
// escapes; numbers, booleans and null stand without quotes, so that 5 and '5' differ. Three elements are additions:
//
//   - not_shown counts what a limit left out: "and 3 more".
//   - example holds a call that would be right, as JSON, if [ValidationError.WithExample] gave one. It is never made up here.
//   - instructions says what to do about a changed contract.
//
// # Guarantees
//
//   - The text is well-formed XML and valid UTF-8, and Parse of it gives equal values as long as no limit on the whole text cut
//     it. No text from elsewhere can close an element, begin a line or carry characters that a reader cannot see: white space with
//     line breaks becomes a space, control, direction, zero-width, tag and private-use characters become their code point, [U+202E].
//   - The text has at most 4096 bytes, 64 lines, 10 field lines, and shows values to 50 characters ([Limits]). The work does not
//     grow with issues that are not shown.
//   - Values of writeOnly and format: password, and of names like password, apiKey, access_token or Authorization, are shown by
//     type and length only; so are the constants and options of such a place. No value of another field is shown: objects and
//     lists are described by names and size.
//   - Equal input gives equal bytes. Nothing panics, on nil receivers neither.
//
// # Limits
//
//   - Names decide what is secret, so a secret under an innocent name is shown, unless it has the shape of a well-known
//     credential. Ordinary error texts are searched for credentials, which is a net and not a proof; [WithSafeMessage] hides them.
//   - The names (keys) of an object that was sent are shown, and the pattern or format of a secret place.
//   - The lines are English, for one reader: a language model.
//   - A text has one line; tables and code do not belong into a message.
package envelope
