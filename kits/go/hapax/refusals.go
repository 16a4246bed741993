package hapax

import (
	"errors"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
)

// refusal says over HTTP or gRPC why a request has no response.
type refusal struct {
	status       int
	code         codes.Code
	reason, text string // without a text, that of the error
	retryAfter   time.Duration
}

var refusals = map[Kind]refusal{
	InProgress: {status: http.StatusConflict, code: codes.Aborted, reason: "DUPLICATE_REQUEST",
		text: "a request with this idempotency key is in progress"},
	KeyReused: {status: http.StatusUnprocessableEntity, code: codes.FailedPrecondition, reason: "IDEMPOTENCY_KEY_REUSED",
		text: "the idempotency key was used with another request; use a new one"},
	Indeterminate: {status: http.StatusConflict, code: codes.FailedPrecondition, reason: "PREVIOUS_ATTEMPT_INDETERMINATE"},
	NotRetained:   {status: http.StatusConflict, code: codes.FailedPrecondition, reason: "RESPONSE_NOT_RETAINED"},
	ClaimLost: {status: http.StatusConflict, code: codes.Aborted, reason: "CLAIM_LOST", retryAfter: time.Second,
		text: "another attempt took over; retry to get its response"},
	Rejected: {status: http.StatusConflict, code: codes.FailedPrecondition, reason: "OPERATION_REJECTED",
		text: "a request with this idempotency key failed for good; use a new one"},
	Unavailable:      notBegun,
	Unauthenticated:  notBegun, // the key of this service, which is not its caller's business
	PermissionDenied: notBegun,
}

var notBegun = refusal{status: http.StatusServiceUnavailable, code: codes.Unavailable, reason: "IDEMPOTENCY_UNAVAILABLE",
	text: "the request was not begun; send it again with the same idempotency key", retryAfter: time.Second}

// refusal returns why a request that did not end has no response.
func (c *Client) refusal(err error) refusal {
	refused, isKnown := refusals[kindOf(err)]
	var known *Error
	switch {
	case errors.As(err, &known) && known.Reason == "INVALID_FIELD":
		refused = refusal{status: http.StatusBadRequest, code: codes.InvalidArgument, reason: "IDEMPOTENCY_KEY_INVALID",
			text: "the idempotency key, the path or the account is not valid"}
	case !isKnown:
		refused = refusal{status: http.StatusInternalServerError, code: codes.Internal, reason: "IDEMPOTENCY_MISCONFIGURED",
			text: "the service cannot track this request; its operator finds the reason in the log"}
	case known.Kind == InProgress:
		refused.retryAfter = known.RetryAfter + time.Millisecond
	}
	if !isKnown || known.Kind == Unauthenticated || known.Kind == PermissionDenied {
		c.logf("hapax: a request was not begun: %v", err)
	}
	if refused.text == "" {
		refused.text = err.Error()
	}
	return refused
}
