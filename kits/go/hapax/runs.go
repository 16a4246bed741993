package hapax

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

const earlyPause = 500 * time.Millisecond

// The policies of a hook whose token another run owns.
const (
	Reject         = hapaxv1.OnConflict_ON_CONFLICT_REJECT          // nothing starts, the owner is named
	UseExisting    = hapaxv1.OnConflict_ON_CONFLICT_USE_EXISTING    // the owner stands for the request
	SignalExisting = hapaxv1.OnConflict_ON_CONFLICT_SIGNAL_EXISTING // it also gets the signal
	Supersede      = hapaxv1.OnConflict_ON_CONFLICT_SUPERSEDE       // it is cancelled
	Queue          = hapaxv1.OnConflict_ON_CONFLICT_QUEUE           // the run waits for its turn; all hooks of a start have it, or none
)

// QueueSupersede is a Hook.QueueFull, only with a QueueLimit of 1: the run that waits is CANCELLED, and this one waits instead.
const QueueSupersede = hapaxv1.QueueFull_QUEUE_FULL_SUPERSEDE

// Hook is a token to own, such as order/4711, and what happens if another run owns it. Who knows a token can signal its owner.
type Hook struct {
	Token         string
	Name          string // for steps that wait for its signals
	OnConflict    hapaxv1.OnConflict
	ExpectedOwner string        // the only run to supersede
	Retention     time.Duration // for which the token stays with the run after its end
	QueueLimit    int32         // how many runs may wait with Queue, at most 10,000; 0 = 1,000
	QueueFull     hapaxv1.QueueFull
}

// Signal is a message to a run. Without an ID the kit draws one. Type selects the steps that receive it.
type Signal struct {
	ID, Type string
	Payload  any
}

func (s Signal) message() (*hapaxv1.NewSignal, error) {
	payload, err := Payload(s.Payload)
	if err != nil {
		return nil, failed(Refused, err, "the signal has no payload: %v", err)
	}
	return &hapaxv1.NewSignal{SignalId: first(s.ID, newID()), Type: s.Type, Payload: payload}, nil
}

// NewRun is the start of a run.
type NewRun struct {
	Definition, Version string
	// IdempotencyKey names this start. Without one the kit draws it, and a second call starts a second run. The same key with
	// another input is Refused (IDEMPOTENCY_KEY_REUSED), unless ReturnExisting or RestartFailed is set.
	IdempotencyKey string
	ReturnExisting bool
	RestartFailed  bool // if the run of the key is FAILED or CANCELLED, a new run takes the key
	Input          any
	Hooks          []Hook
	Signal         *Signal
	Labels         map[string]string
	Timeout        time.Duration // after which the run fails with RUN_TIMEOUT, whatever its status; 0 = as the definition says
	StartTimeout   time.Duration // within which the first step must start, or the run fails with NOT_STARTED_IN_TIME; 0 = any time
	Wait           time.Duration // how long the start waits until the run has ended, at most 30 s; the run is as it is then
	Traceparent    string        // the span of the caller, as the header of that name; "" = that of Options.Traceparent
}

// Runs starts, awaits and controls runs.
type Runs struct{ client *Client }

// Start starts a run, or returns the one that stands for this request; its Disposition says which. The run is nil if REJECTED.
// If QUEUED, RunsAhead is how many runs wait before it in its longest line, at most 100.
func (r Runs) Start(ctx context.Context, run NewRun) (*hapaxv1.StartRunResponse, error) {
	input, err := r.client.payload(ctx, run.Input)
	if errors.Is(err, Unavailable) {
		return nil, err
	}
	if err != nil {
		return nil, failed(Refused, err, "the run has no input: %v", err)
	}
	request := &hapaxv1.StartRunRequest{
		Definition: run.Definition, DefinitionVersion: run.Version, IdempotencyKey: first(run.IdempotencyKey, newID()),
		Input: input, Labels: run.Labels, OnKeyMismatch: hapaxv1.OnKeyMismatch_ON_KEY_MISMATCH_ERROR,
		Traceparent: run.Traceparent, Timeout: duration(run.Timeout), StartTimeout: duration(run.StartTimeout),
	}
	if run.Traceparent == "" && r.client.options.Traceparent != nil {
		request.Traceparent = r.client.options.Traceparent(ctx)
	}
	if storedOf(input) != nil { // the reference may differ in a duplicate
		if request.Fingerprint, err = Fingerprint(run.Input); err != nil {
			return nil, failed(Refused, err, "the input has no fingerprint: %v", err)
		}
	}
	if run.ReturnExisting {
		request.OnKeyMismatch = hapaxv1.OnKeyMismatch_ON_KEY_MISMATCH_RETURN_EXISTING
	}
	if run.RestartFailed {
		request.OnKeyMismatch = hapaxv1.OnKeyMismatch_ON_KEY_MISMATCH_RESTART_FAILED
	}
	for _, hook := range run.Hooks {
		if err := CheckName("token", hook.Token); err != nil {
			return nil, err
		}
		request.Hooks = append(request.Hooks, &hapaxv1.StartRunRequest_Hook{
			Token: hook.Token, Name: hook.Name, Retention: duration(hook.Retention),
			OnConflict: hook.OnConflict, ExpectedOwner: hook.ExpectedOwner,
			QueueLimit: hook.QueueLimit, QueueFull: hook.QueueFull,
		})
	}
	if run.Signal != nil {
		if request.Signal, err = run.Signal.message(); err != nil {
			return nil, err
		}
	}
	response := &hapaxv1.StartRunResponse{}
	spent := budget{wait: run.Wait, giveUp: r.client.timeout}
	if run.Wait > 0 {
		request.Wait = durationpb.New(run.Wait)
	}
	_, err = r.client.send(ctx, "RunService/StartRun", request, response, spent)
	return response, err
}

// Get returns the run, or is Refused (RUN_NOT_FOUND).
func (r Runs) Get(ctx context.Context, id string) (*hapaxv1.Run, error) {
	response, err := call(ctx, r.client, "RunService/GetRun", &hapaxv1.GetRunRequest{RunId: id}, &hapaxv1.GetRunResponse{})
	return response.GetRun(), err
}

// Result waits for the end of a run until the deadline of the context, and returns its output. The kinds of its errors are
// RunFailed, RunCancelled and RunNotEnded.
func Result[T any](ctx context.Context, c *Client, runID string) (value T, err error) {
	for {
		began := time.Now()
		run, err := c.Runs.await(ctx, runID)
		if err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = failed(RunNotEnded, ctx.Err(), "run %s has not ended in time", runID)
			}
			return value, err
		}
		switch run.GetStatus() {
		case hapaxv1.RunStatus_RUN_STATUS_COMPLETED:
			err = c.Decode(ctx, run.GetOutput(), &value)
			return value, err
		case hapaxv1.RunStatus_RUN_STATUS_FAILED:
			return value, failedForGood(RunFailed, "run "+runID, run.GetFailure())
		case hapaxv1.RunStatus_RUN_STATUS_CANCELLED:
			return value, failed(RunCancelled, nil, "run %s was cancelled", runID)
		}
		if time.Since(began) < pollWait/2 {
			sleep(ctx, earlyPause) // a newer server may have ended it by a status that this package does not know
		}
	}
}

func (r Runs) await(ctx context.Context, id string) (*hapaxv1.Run, error) {
	request := &hapaxv1.AwaitRunRequest{Target: &hapaxv1.AwaitRunRequest_RunId{RunId: id}, Wait: durationpb.New(pollWait)}
	response := &hapaxv1.AwaitRunResponse{}
	_, err := r.client.send(ctx, "RunService/AwaitRun", request, response, budget{wait: pollWait, giveUp: r.client.timeout})
	return response.GetRun(), err
}

// Signal puts a signal into the inbox of a run; it is DELIVERED, BUFFERED or a DUPLICATE.
func (r Runs) Signal(ctx context.Context, id string, signal Signal) (hapaxv1.SignalDisposition, error) {
	message, err := signal.message()
	if err != nil {
		return 0, err
	}
	request := &hapaxv1.SignalRunRequest{RunId: id, Signal: message}
	response, err := call(ctx, r.client, "RunService/SignalRun", request, &hapaxv1.SignalRunResponse{})
	return response.GetDisposition(), err
}

// Cancel cancels the run; one that is cancelled is returned unchanged.
func (r Runs) Cancel(ctx context.Context, id, reason string) (*hapaxv1.Run, error) {
	request := &hapaxv1.CancelRunRequest{RunId: id, Reason: reason}
	response, err := call(ctx, r.client, "RunService/CancelRun", request, &hapaxv1.CancelRunResponse{})
	return response.GetRun(), err
}

// Hooks reaches runs by their tokens. A token without an owner is Refused (HOOK_NOT_FOUND).
type Hooks struct{ client *Client }

// Create gives an existing run the token. It returns the id of the run that owns the token instead, and "" if the run got it.
// With a claim it is created only while the step is held by it, and the same request on a later attempt succeeds again.
func (h Hooks) Create(ctx context.Context, runID string, hook Hook, claim *Claim) (owner string, err error) {
	if err := CheckName("token", hook.Token); err != nil {
		return "", err
	}
	request := &hapaxv1.CreateHookRequest{
		RunId: runID, Token: hook.Token, Name: hook.Name, Retention: duration(hook.Retention),
		OnConflict: hook.OnConflict, ExpectedOwner: hook.ExpectedOwner,
	}
	if claim != nil {
		request.Claim = claim.message
	}
	response := &hapaxv1.CreateHookResponse{}
	if err := h.client.Call(ctx, "HookService/CreateHook", request, response); err != nil {
		return "", err
	}
	if over := response.GetClaimLost(); over != nil {
		return "", lost(lostReason(over))
	}
	return response.GetConflict().GetRunId(), nil
}

// Signal puts a signal into the inbox of the owner; it is DELIVERED, BUFFERED or a DUPLICATE.
func (h Hooks) Signal(ctx context.Context, token string, signal Signal) (hapaxv1.SignalDisposition, error) {
	message, err := signal.message()
	if err != nil {
		return 0, err
	}
	request := &hapaxv1.SignalHookRequest{Token: token, Signal: message}
	response, err := call(ctx, h.client, "HookService/SignalHook", request, &hapaxv1.SignalHookResponse{})
	return response.GetDisposition(), err
}

// Get returns the id of the run that owns the token, or has ended and keeps it; if there is none, of the first that waits.
func (h Hooks) Get(ctx context.Context, token string) (owner string, err error) {
	response, err := call(ctx, h.client, "HookService/GetHook", &hapaxv1.GetHookRequest{Token: token}, &hapaxv1.GetHookResponse{})
	if waiting := response.GetWaiting(); response.GetHook() == nil && len(waiting) > 0 {
		return waiting[0].GetRunId(), err
	}
	return response.GetHook().GetRunId(), err
}

// Dispose frees the token, if this run owns it.
func (h Hooks) Dispose(ctx context.Context, token, runID string) error {
	request := &hapaxv1.DisposeHookRequest{Token: token, RunId: runID}
	return h.client.Call(ctx, "HookService/DisposeHook", request, &hapaxv1.DisposeHookResponse{})
}
