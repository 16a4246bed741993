package hapax

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// An outcome of an operation inside of the work is a failure of the work, and not an outcome of the outer operation.
func TestNestedOutcomes(t *testing.T) {
	for _, inner := range []Kind{InProgress, KeyReused, Indeterminate, Rejected, NotRetained, ClaimLost, Unrecorded, Unavailable, Refused} {
		var recorded *hapaxv1.FailOperationRequest
		server := recording()
		server["OperationService/FailOperation"] = on(func(_ context.Context, request *hapaxv1.FailOperationRequest) (proto.Message, error) {
			recorded = request
			return &hapaxv1.FailOperationResponse{}, nil
		})
		client, _ := server.client(t)
		_, err := Once(context.Background(), client, Operation{Name: "outer", RequestID: "k"}, func(context.Context, *Claim) (int, error) {
			return 0, fmt.Errorf("the inner one: %w", failed(inner, io.EOF, "no result"))
		})
		if errors.Is(err, inner) || !errors.Is(err, RetryableFailure) || !errors.Is(err, io.EOF) {
			t.Errorf("%s inside of the work must be a failure of it (was %v)", inner, err)
		}
		var known *Error
		if !errors.As(err, &known) || known.Kind != RetryableFailure || err.Error() != "the inner one: no result" {
			t.Errorf("%s inside of the work must be found as a failure of it (was %v)", inner, known)
		}
		if recorded.GetKind() != hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE || recorded.GetFailure().GetCode() != string(inner) {
			t.Errorf("%s must be recorded as a retryable failure with its name (was %v)", inner, recorded)
		}
	}
}

// What the work returns by itself is returned as it is.
func TestErrorsOfWork(t *testing.T) {
	for _, expected := range []error{io.EOF, Fail(FinalFailure, "DECLINED", ""), fmt.Errorf("so: %w", Fail(UnknownEffect, "TIMEOUT", ""))} {
		client, _ := recording().client(t)
		_, err := Once(context.Background(), client, Operation{Name: "outer", RequestID: "k"}, func(context.Context, *Claim) (int, error) {
			return 0, expected
		})
		if err != expected {
			t.Errorf("the error must be %v (was %v)", expected, err)
		}
	}
}

func TestPoliciesOfOperations(t *testing.T) {
	for _, expected := range []struct {
		operation Operation
		onStale   hapaxv1.OnStale
		mismatch  hapaxv1.OnReleasedMismatch
	}{
		{Operation{}, hapaxv1.OnStale_ON_STALE_TAKE_OVER, hapaxv1.OnReleasedMismatch_ON_RELEASED_MISMATCH_KEY_REUSED},
		{Operation{HoldIfStale: true}, hapaxv1.OnStale_ON_STALE_HOLD, hapaxv1.OnReleasedMismatch_ON_RELEASED_MISMATCH_KEY_REUSED},
		{Operation{AcceptCorrections: true}, hapaxv1.OnStale_ON_STALE_TAKE_OVER, hapaxv1.OnReleasedMismatch_ON_RELEASED_MISMATCH_ACCEPT},
	} {
		var begun *hapaxv1.BeginOperationRequest
		server := recording()
		server["OperationService/BeginOperation"] = on(func(_ context.Context, request *hapaxv1.BeginOperationRequest) (proto.Message, error) {
			begun = request
			return &hapaxv1.BeginOperationResponse{Outcome: &hapaxv1.BeginOperationResponse_Indeterminate_{}}, nil
		})
		client, _ := server.client(t)
		expected.operation.Name, expected.operation.RequestID = "charge", "k"
		_, err := Once(context.Background(), client, expected.operation, func(context.Context, *Claim) (int, error) { return 1, nil })
		isKind(t, err, Indeterminate)
		if begun.GetOnStale() != expected.onStale || begun.GetOnReleasedMismatch() != expected.mismatch {
			t.Errorf("the request must have %+v (was %v)", expected, begun)
		}
	}
}
