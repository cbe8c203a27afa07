package envelope

// A Code says in one word what kind of error it is. The list below is canonical; a server may have codes of its own, made of
// ASCII letters, digits and "_-.:/" (anything else becomes "_").
type Code string

// The canonical codes.
const (
	CodeMissingDiscriminator       Code = "MISSING_DISCRIMINATOR"
	CodeUnknownAction              Code = "UNKNOWN_ACTION"
	CodeValidationError            Code = "VALIDATION_ERROR"
	CodeMissingRequiredField       Code = "MISSING_REQUIRED_FIELD"
	CodeInternalError              Code = "INTERNAL_ERROR"
	CodeRateLimited                Code = "RATE_LIMITED"
	CodeUnauthorized               Code = "UNAUTHORIZED"
	CodeForbidden                  Code = "FORBIDDEN"
	CodeNotFound                   Code = "NOT_FOUND"
	CodeConflict                   Code = "CONFLICT"
	CodeTimeout                    Code = "TIMEOUT"
	CodeServerBusy                 Code = "SERVER_BUSY"
	CodeDeprecated                 Code = "DEPRECATED"
	CodeAuthRequired               Code = "AUTH_REQUIRED"
	CodeHandoffUpstreamUnavailable Code = "HANDOFF_UPSTREAM_UNAVAILABLE"
	CodeHandoffNamespaceMismatch   Code = "HANDOFF_NAMESPACE_MISMATCH"
	CodeHandoffConnecting          Code = "HANDOFF_CONNECTING"
)

// Codes returns the canonical codes in the order of their documentation.
func Codes() []Code {
	return []Code{
		CodeMissingDiscriminator, CodeUnknownAction, CodeValidationError, CodeMissingRequiredField, CodeInternalError, CodeRateLimited,
		CodeUnauthorized, CodeForbidden, CodeNotFound, CodeConflict, CodeTimeout, CodeServerBusy, CodeDeprecated, CodeAuthRequired,
		CodeHandoffUpstreamUnavailable, CodeHandoffNamespaceMismatch, CodeHandoffConnecting,
	}
}
