package hapax

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

// Operation is work that happens once for each request id.
type Operation struct {
	Name              string        // of the handler, such as shop.v1.Shop/Charge
	RequestID         string        // the idempotency key of the caller; without one the work runs untracked
	Input             any           // what a duplicate must have in common: anything with a JSON, or []byte
	Account           string        // on whose behalf
	Lease             time.Duration // after which a holder that died is replaced; 0 = 60 s
	Wait              time.Duration // for another holder, at most 30 s
	TTL               time.Duration // for which the result is replayed; 0 = 24 h
	HoldIfStale       bool          // a holder that died is not replaced: an operator decides
	AcceptCorrections bool          // another input is accepted after a failure
	HoldAtMost        time.Duration // the end of renewals; 0 = 1 h
}

// Once runs the work unless an earlier call with the same request id has, and returns what it returned first. An error of
// the work frees the request id, unless it is a FinalFailure or an UnknownEffect.
//
// The kinds of its other errors are InProgress, KeyReused, Indeterminate, Rejected, NotRetained, ClaimLost and Unrecorded;
// with the last one it also returns the value. Unavailable and Refused mean that the work did not begin.
func Once[T any](ctx context.Context, c *Client, operation Operation, do func(ctx context.Context, claim *Claim) (T, error)) (T, error) {
	if operation.RequestID == "" {
		return do(ctx, &Claim{})
	}
	return resultOf(func(do work) (bool, *hapaxv1.Payload, error) { return c.once(ctx, operation, do) }, do)
}

// resultOf returns the value of the work, or the one that Hapax has instead.
func resultOf[T any](run func(work) (bool, *hapaxv1.Payload, error), do func(context.Context, *Claim) (T, error)) (T, error) {
	var value T
	replayed, result, err := run(func(ctx context.Context, claim *Claim) (any, error) {
		var err error
		value, err = do(ctx, claim)
		return value, err
	})
	if replayed {
		return decoded[T](result)
	}
	return value, err
}

func (c *Client) once(ctx context.Context, o Operation, do work) (bool, *hapaxv1.Payload, error) {
	for field, text := range map[string]string{"operation": o.Name, "request id": o.RequestID, "account": o.Account} {
		if err := CheckName(field, text); err != nil {
			return false, nil, err
		}
	}
	fingerprint, err := Fingerprint(o.Input)
	if err != nil {
		return false, nil, failed(Refused, err, "the input has no fingerprint: %v", err)
	}
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	request := &hapaxv1.BeginOperationRequest{
		Operation: o.Name, RequestId: o.RequestID, Account: o.Account, AttemptId: newID(), Fingerprint: fingerprint,
		Lease: durationpb.New(o.Lease), Ttl: duration(o.TTL), Wait: durationpb.New(o.Wait),
		OnStale: hapaxv1.OnStale_ON_STALE_TAKE_OVER, OnReleasedMismatch: hapaxv1.OnReleasedMismatch_ON_RELEASED_MISMATCH_KEY_REUSED,
	}
	if o.HoldIfStale {
		request.OnStale = hapaxv1.OnStale_ON_STALE_HOLD
	}
	if o.AcceptCorrections {
		request.OnReleasedMismatch = hapaxv1.OnReleasedMismatch_ON_RELEASED_MISMATCH_ACCEPT
	}
	const begin = "OperationService/BeginOperation"
	begun := &hapaxv1.BeginOperationResponse{}
	answered, err := c.send(ctx, begin, request, begun, budget{wait: o.Wait, giveUp: c.timeout})
	if err == nil && begun.GetAcquired() != nil && o.Wait > 0 && answered.roundTrip > o.Lease/4 {
		// the lease counts from the request, so the wait may have used it up: the same attempt gets it anew
		request.Wait = durationpb.New(0)
		answered, err = c.send(ctx, begin, request, begun, budget{giveUp: c.timeout})
	}
	if err != nil {
		return false, nil, err
	}
	switch outcome := begun.GetOutcome().(type) {
	case *hapaxv1.BeginOperationResponse_Acquired_:
		k := newKeeper(c, "complete_operation", c.renewOperation(o.Lease))
		held, claim := k.hold(ctx, outcome.Acquired.GetClaim(), outcome.Acquired.GetLeaseRemaining(), answered, o.HoldAtMost)
		return k.do(held, claim, do, c.operationRecorder(claim))
	case *hapaxv1.BeginOperationResponse_Replay:
		return c.replay(ctx, outcome.Replay)
	case *hapaxv1.BeginOperationResponse_InProgress_:
		return false, nil, &Error{Kind: InProgress, Message: "another call with this request id is in progress",
			RetryAfter: outcome.InProgress.GetRetryAfter().AsDuration()}
	case *hapaxv1.BeginOperationResponse_KeyReused_:
		return false, nil, failed(KeyReused, nil, "request id %s was used with another input; use a new one", o.RequestID)
	case *hapaxv1.BeginOperationResponse_Indeterminate_:
		return false, nil, failed(Indeterminate, nil, "an earlier attempt may have taken effect; an operator must resolve the operation")
	default:
		return false, nil, failed(Refused, nil, "the outcome %T is unknown to this kit; upgrade it", outcome)
	}
}

func (c *Client) renewOperation(lease time.Duration) sendRenewals {
	return func(ctx context.Context, claims []*hapaxv1.Claim, _ []*hapaxv1.Payload, timeout time.Duration) ([]renewal, *Error) {
		response := &hapaxv1.RenewOperationResponse{}
		request := &hapaxv1.RenewOperationRequest{Workspace: c.workspace, Claim: claims[0], Lease: durationpb.New(lease)}
		_, err := c.tryOnce(ctx, "OperationService/RenewOperation", request, response, timeout)
		return []renewal{response}, err
	}
}

func (c *Client) operationRecorder(claim *Claim) recorder {
	return recorder{
		unkept: notRetained,
		complete: func(ctx context.Context, result *hapaxv1.Payload) (*hapaxv1.ClaimLost, error) {
			request := &hapaxv1.CompleteOperationRequest{Claim: claim.message, Result: result}
			return c.recordEnd(ctx, "OperationService/CompleteOperation", request, &hapaxv1.CompleteOperationResponse{})
		},
		fail: func(ctx context.Context, cause error) (*hapaxv1.ClaimLost, error) {
			request := &hapaxv1.FailOperationRequest{Claim: claim.message, Kind: failureKind(cause), Failure: failure(cause)}
			return c.recordEnd(ctx, "OperationService/FailOperation", request, &hapaxv1.FailOperationResponse{})
		},
	}
}

func failureKind(cause error) hapaxv1.FailureKind {
	switch kindOf(cause) {
	case FinalFailure:
		return hapaxv1.FailureKind_FAILURE_KIND_FINAL
	case UnknownEffect:
		return hapaxv1.FailureKind_FAILURE_KIND_UNKNOWN_EFFECT
	default:
		return hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE
	}
}

func (c *Client) replay(ctx context.Context, of *hapaxv1.Replay) (bool, *hapaxv1.Payload, error) {
	if f := of.GetFailure(); f != nil {
		return false, nil, failedForGood(Rejected, "the operation", f)
	}
	if proto.Equal(of.GetResult(), notRetained) {
		return false, nil, failed(NotRetained, nil, "the work is done, but its result was not kept")
	}
	result, err := c.fetched(ctx, of.GetResult())
	return err == nil, result, err
}

// duration returns the message of a duration; 0 stays unset.
func duration(of time.Duration) *durationpb.Duration {
	if of == 0 {
		return nil
	}
	return durationpb.New(of)
}
