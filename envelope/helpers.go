package envelope

import (
	"strconv"
	"time"
)

// RateLimited says that the caller sent too much; the same call works after retryAfter (zero: unknown).
func RateLimited(retryAfter time.Duration) *ToolError {
	return New(CodeRateLimited, "Too many calls in a short time").
		Suggest("Wait for the time in retry_after, then send the same call once. Do not send calls in parallel.").orUnknown(retryAfter).RetryAfter(retryAfter)
}

// orUnknown rewords the recovery when there is no time to refer to.
func (e *ToolError) orUnknown(retryAfter time.Duration) *ToolError {
	if retryAfter > 0 {
		return e
	}
	return e.Suggest("Wait a while, then send the same call once. Do not send calls in parallel.")
}

// ServerBusy says that the call was not started because queue others wait (negative: unknown).
func ServerBusy(queue int) *ToolError {
	e := New(CodeServerBusy, "The server is busy and did not start the call").
		Suggest("Send calls one after the other, not in parallel, then retry this one.")
	if queue >= 0 {
		e = e.Detail("queue", strconv.Itoa(queue)+" waiting")
	}
	return e
}

// MissingField says that a required argument is missing, for a check that no schema made.
func MissingField(name string) *ToolError {
	return New(CodeMissingRequiredField, "Required field missing: "+quote(clean(name, maxName))).
		Suggest("Add the field and call the tool again.").Detail("field", clean(name, maxName))
}

// UnknownAction says that there is no such action and names the nearest known ones, then the others.
func UnknownAction(name string, known ...string) *ToolError {
	near := nearest(name, known, 3)
	recovery := "Call one of the available actions instead."
	switch {
	case len(known) == 0:
		recovery = "List the tools again and call one that exists."
	case len(near) > 0:
		recovery = "Call " + quote(clean(near[0], maxName)) + " if that was meant, otherwise one of the available actions."
	}
	return New(CodeUnknownAction, "There is no action "+quote(clean(name, maxName))).Suggest(recovery).Actions(near...).Actions(known...)
}

// MissingDiscriminator says that a tool with several actions was called without saying which; field is the discriminator.
func MissingDiscriminator(field string, actions ...string) *ToolError {
	name := quote(clean(field, maxName))
	return New(CodeMissingDiscriminator, "The field "+name+" must say which action to run").
		Suggest("Set " + name + " to one of the available actions and call the tool again.").Actions(actions...)
}

// AuthRequired says that someone has to sign in first; the model cannot do it.
func AuthRequired(message string) *ToolError {
	return New(CodeAuthRequired, orText(message, "Sign-in is required")).Suggest("Ask the user to sign in, then retry. Do not ask for a password in the chat.")
}

// Deprecated warns, on a result that is a success, that an action will go; successor may be empty.
func Deprecated(action, successor string) *ToolError {
	e := New(CodeDeprecated, quote(clean(action, maxName))+" is deprecated").Warning()
	if successor == "" {
		return e.Suggest("The call worked. Avoid this action in new work.")
	}
	return e.Suggest("The call worked. Call " + quote(clean(successor, maxName)) + " from now on.").Actions(successor)
}

// NotFound says that what was asked for does not exist.
func NotFound(message string) *ToolError {
	return New(CodeNotFound, orText(message, "Not found")).Suggest("List what exists first, then retry with a real ID.")
}

// Conflict says that the state changed under the caller.
func Conflict(message string) *ToolError {
	return New(CodeConflict, orText(message, "The state has changed since it was read")).Suggest("Read the present state, then decide again.")
}

// Timeout says that the call took too long and that it may have had an effect.
func Timeout(message string) *ToolError {
	return New(CodeTimeout, orText(message, "The call took too long")).
		Suggest("Check whether the call had an effect before you retry; ask for less at a time.")
}

// HandoffUnavailable says that the server behind this one cannot be reached.
func HandoffUnavailable(upstream string) *ToolError {
	return New(CodeHandoffUpstreamUnavailable, "The server "+quote(clean(upstream, maxName))+" cannot be reached").
		Suggest("Do without it for now, or tell the user that it is down.")
}

// HandoffMismatch says that a call was handed to a server that does not own the namespace of the tool.
func HandoffMismatch(namespace string, known ...string) *ToolError {
	return New(CodeHandoffNamespaceMismatch, "No server owns the namespace "+quote(clean(namespace, maxName))).
		Suggest("Use a tool from one of the available namespaces.").Actions(known...)
}

// HandoffInProgress says that the connection to the server behind this one is still being made.
func HandoffInProgress(upstream string, retryAfter time.Duration) *ToolError {
	return New(CodeHandoffConnecting, "The connection to "+quote(clean(upstream, maxName))+" is being made").
		Suggest("Wait, then send the same call again.").RetryAfter(retryAfter)
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
