package hapax

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"hapax.dev/kits/go/hapaxv1"
)

// Kind is the kind of an Error. Test for it by errors.Is(err, hapax.InProgress).
type Kind string

// The kinds of errors. Their words are the same in all kits.
const (
	Unavailable      Kind = "Unavailable"      // no answer in time; the same call with the same key is safe to repeat
	Refused          Kind = "Refused"          // Hapax rejected the call and changed nothing; see Error.Reason
	Unauthenticated  Kind = "Unauthenticated"  // the API key is missing, unknown, expired or revoked
	PermissionDenied Kind = "PermissionDenied" // the caller has no role for this call in this workspace
	UnknownAnswer    Kind = "UnknownAnswer"    // Hapax is newer, and answered what this package does not know; upgrade it

	InProgress    Kind = "InProgress"    // another call with this request id is in progress; see Error.RetryAfter
	KeyReused     Kind = "KeyReused"     // the request id was used with another input; use a new one
	Indeterminate Kind = "Indeterminate" // an earlier attempt may have taken effect; an operator must resolve it
	Rejected      Kind = "Rejected"      // the operation failed for good, in an earlier call; see Error.FailureCode
	NotRetained   Kind = "NotRetained"   // the work is done, but its result was too large, or had no JSON
	NotCommitted  Kind = "NotCommitted"  // the work was completed in a transaction that was not committed

	ClaimFailed   Kind = "ClaimFailed"   // another action on the entity is in progress; see Error.Holder
	WrongStatus   Kind = "WrongStatus"   // the step does not start from Error.Status
	NotAllowed    Kind = "NotAllowed"    // the lifecycle has no such step for this requester
	NeedsRecovery Kind = "NeedsRecovery" // the janitor of the module must recover the entity first

	ClaimLost  Kind = "ClaimLost"  // another holder took over; the work of this holder was not recorded
	Unrecorded Kind = "Unrecorded" // the work is done, but Hapax did not confirm its record in time

	RunFailed    Kind = "RunFailed"    // the run ended as FAILED; see Error.FailureCode
	RunCancelled Kind = "RunCancelled" // the run ended as CANCELLED
	RunNotEnded  Kind = "RunNotEnded"  // the run has not ended before the deadline of the context

	RetryableFailure Kind = "RetryableFailure" // nothing happened; the next call or attempt does the work
	FinalFailure     Kind = "FinalFailure"     // the work failed for good; each duplicate gets this failure
	UnknownEffect    Kind = "UnknownEffect"    // the effect may have happened; an operator must resolve the operation
	Invalid          Kind = "Invalid"          // the request to an action was invalid; its history says so
)

func (k Kind) Error() string { return string(k) }

// Error is each error of this package. Fields that do not belong to its kind are empty.
type Error struct {
	Kind        Kind
	Message     string
	Code        codes.Code        // the gRPC status of a call
	Reason      string            // the name of an ErrorReason, or why a claim is lost
	Metadata    map[string]string // belongs to the reason, such as run_id
	FailureCode string
	Holder      string
	Status      string
	RetryAfter  time.Duration // of a RetryableFailure: before the next attempt, instead of the pause of the policy
	advised     bool          // whether Hapax has sent RetryAfter with the status
	part, stack string        // of a failure of a part
	cause       error
}

func (e *Error) Error() string        { return e.Message }
func (e *Error) Unwrap() error        { return e.cause }
func (e *Error) Is(target error) bool { return target == e.Kind }

// Fail returns a failure that work returns to decide what a duplicate gets: RetryableFailure, FinalFailure, UnknownEffect
// or Invalid. The code is for programs, such as CARD_DECLINED, at most 255 characters. Other errors are retryable failures.
func Fail(kind Kind, code, text string) error {
	if text == "" {
		text = code
	}
	return &Error{Kind: kind, FailureCode: code, Message: text}
}

func failed(kind Kind, cause error, format string, arguments ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, arguments...), cause: cause}
}

// failedForGood returns the error of what has ended by a failure.
func failedForGood(kind Kind, what string, f *hapaxv1.Failure) *Error {
	err := failed(kind, nil, "%s failed: %s %s", what, f.GetCode(), f.GetMessage())
	err.FailureCode = f.GetCode()
	return err
}

// isFailure says whether work returns the kind, to decide what a duplicate gets.
func (k Kind) isFailure() bool {
	return k == RetryableFailure || k == FinalFailure || k == UnknownEffect || k == Invalid
}

// ofWork returns an error of work. What an operation or a call inside of the work returned is a failure of the work, and not
// the outcome of this one.
func ofWork(err error) error {
	if kindOf(err).isFailure() {
		return err
	}
	return &Error{Kind: RetryableFailure, Message: err.Error(), cause: inside{err}}
}

// inside has no kind for errors.Is.
type inside struct{ error }

func (i inside) As(target any) bool { return errors.As(i.error, target) }
func (i inside) Is(target error) bool {
	_, isKind := target.(Kind)
	return !isKind && errors.Is(i.error, target)
}

// kindOf returns the kind of what the work returned.
func kindOf(err error) Kind {
	var known *Error
	if errors.As(err, &known) {
		return known.Kind
	}
	return RetryableFailure
}

// ErrorOf returns the error of a call to Hapax, with its kind and the details of its status.
func ErrorOf(err error) *Error {
	s := status.Convert(err)
	e := &Error{Code: s.Code(), Message: fmt.Sprintf("%s: %s", s.Code(), s.Message()), cause: err}
	for _, detail := range s.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			e.Reason, e.Metadata = detail.Reason, detail.Metadata
		case *errdetails.RetryInfo:
			delay := detail.GetRetryDelay()
			e.RetryAfter = time.Duration(delay.GetSeconds())*time.Second + time.Duration(delay.GetNanos())
			e.advised = true
		}
	}
	switch {
	case e.Code == codes.Unauthenticated:
		e.Kind = Unauthenticated
	case e.Code == codes.PermissionDenied:
		e.Kind = PermissionDenied
	case e.isRepeatable():
		e.Kind = Unavailable
	default:
		e.Kind = Refused
	}
	return e
}

// isRepeatable says whether the same call may succeed when it is sent again. Each call carries its key, so that is safe.
func (e *Error) isRepeatable() bool {
	switch e.Code {
	case codes.Unavailable, codes.DeadlineExceeded:
		return true
	case codes.ResourceExhausted:
		return e.advised
	case codes.Internal, codes.Unknown, codes.Canceled:
		return e.Reason == "" // from a proxy or the transport, not from Hapax
	}
	return false
}

// Pause returns the time before the next try of a call, and false if the error would repeat. The first retry is 0.
// The holder of a claim has done its work, so it also waits for a new key while its key is not accepted.
func (e *Error) Pause(retry int, ofHolder bool) (time.Duration, bool) {
	if ofHolder && e.Code == codes.Unauthenticated {
		return time.Second + time.Duration(rand.Int63n(int64(time.Second))), true
	}
	if !e.isRepeatable() {
		return 0, false
	}
	ceiling := 2 * time.Second
	if retry < 5 {
		ceiling = 100 * time.Millisecond * time.Duration(math.Pow(2, float64(retry)))
	}
	return ceiling/2 + time.Duration(rand.Int63n(int64(ceiling/2))) + e.RetryAfter, true
}
