package hapax

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

const longestWait = 365 * 24 * time.Hour

// ErrSuspended ends an execution that waits. Return it from the handler.
var ErrSuspended = errors.New("the execution waits; return this error from the handler")

// Task is a step of a run that this worker holds.
//
// A handler with several effects, or with waits, is a code workflow. It runs again from its beginning after every wait and
// failure, and continues where it stopped, because what it records is not done again. Each name occurs once. Record may be
// called on several goroutines, the other methods are for that of the handler. When the handler returns or waits, the worker
// first lets the bodies of Record end that are running, and records them.
type Task struct {
	Claim    *Claim
	Message  *hapaxv1.Task
	RunID    string
	StepID   string
	StepName string
	Attempt  int32

	client     *Client
	recorded   map[string]*hapaxv1.Payload
	signals    []*hapaxv1.Signal
	changes    map[string]any
	used       map[string]bool
	suspension *hapaxv1.SuspendTaskRequest
	hasEnded   bool // like the two above, guarded by the mutex of the claim
}

func newTask(client *Client, message *hapaxv1.Task, claim *Claim) *Task {
	t := &Task{
		Claim: claim, Message: message, client: client, RunID: message.GetRun().GetId(), StepID: message.GetStep().GetId(),
		StepName: message.GetStep().GetName(), Attempt: message.GetStep().GetAttempt(), signals: message.GetSignals(),
		recorded: map[string]*hapaxv1.Payload{}, used: map[string]bool{}, changes: map[string]any{},
	}
	for _, step := range message.GetRecorded() {
		t.recorded[step.GetName()] = step.GetOutput()
	}
	return t
}

// Input decodes the input of the run.
func (t *Task) Input(into any) error { return Decode(t.Message.GetInput(), into) }

// State decodes the state of the run when the task was granted.
func (t *Task) State(into any) error { return Decode(t.Message.GetState(), into) }

// PreviousOutput decodes the output of the step before.
func (t *Task) PreviousOutput(into any) error { return Decode(t.Message.GetRun().GetOutput(), into) }

// Traceparent returns the span that the run was started in, as the header of that name, or "".
func (t *Task) Traceparent() string { return t.Message.GetRun().GetTraceparent() }

// PatchState changes a member of the run's state when this execution ends or waits; nil removes it.
func (t *Task) PatchState(member string, value any) { t.changes[member] = value }

func (t *Task) patch() (*hapaxv1.Payload, error) {
	if len(t.changes) == 0 {
		return nil, nil
	}
	return Payload(t.changes)
}

// Record returns what the body returned when it ran first. In later executions it does not run. The body gets the id of this
// part, the same each time: hand it to what it calls as its idempotency key. The name has 1 to 100 characters. After the end
// of the handler it returns an error.
func Record[T any](ctx context.Context, t *Task, name string, body func(ctx context.Context, key string) (T, error)) (value T, err error) {
	if err := t.beginPart(); err != nil {
		return value, err
	}
	defer t.endPart()
	output, isRecorded, err := t.find(ctx, name)
	if err == nil && !isRecorded {
		if value, err = body(ctx, t.StepID+"/"+name); err != nil {
			return value, err
		}
		if output, err = Payload(value); err != nil {
			return value, Fail(FinalFailure, "RESULT_REFUSED", fmt.Sprintf("%s was done, but its result cannot be stored: %v", name, err))
		}
		output, _, err = t.store(ctx, name, output)
	}
	if err != nil {
		return value, err
	}
	return decoded[T](output)
}

// Suspend waits so long, at most 365 days, without a worker. Hapax measures the time, exact to about a second. Return the
// error: the handler runs again when the wait is over.
func (t *Task) Suspend(ctx context.Context, name string, wait time.Duration) error {
	if err := t.beginPart(); err != nil {
		return err
	}
	defer t.endPart()
	left, err := t.left(ctx, name, wait)
	if err != nil || left <= 0 {
		return err
	}
	return t.suspend(left, nil)
}

// Wait says which signal to await. A signal matches by its Type, by the name of the Hook through which it came, or by both;
// by the type Name unless one is given. Without a Timeout it waits until the run ends.
type Wait struct {
	Name, Type, Hook string
	Timeout          time.Duration
}

func (w Wait) filter() *hapaxv1.SignalFilter {
	if w.Hook != "" {
		return &hapaxv1.SignalFilter{HookName: w.Hook, Type: w.Type}
	}
	return &hapaxv1.SignalFilter{Type: first(w.Type, w.Name)}
}

// AwaitSignal returns the payload of the oldest matching signal, and consumes it. Without one it suspends the execution.
// It returns false after the timeout.
func AwaitSignal[T any](ctx context.Context, t *Task, wait Wait) (value T, isReceived bool, err error) {
	if err := t.beginPart(); err != nil {
		return value, false, err
	}
	defer t.endPart()
	payload, isRecorded, err := t.find(ctx, wait.Name)
	if err == nil && !isRecorded {
		payload, isRecorded, err = t.receive(ctx, wait)
	}
	if err == nil && !isRecorded {
		payload, err = t.awaitUntil(ctx, wait)
	}
	if err != nil || proto.Equal(payload, timedOut) {
		return value, false, err
	}
	value, err = decoded[T](payload)
	return value, err == nil, err
}

func (t *Task) beginPart() error {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	switch {
	case t.suspension != nil:
		return ErrSuspended
	case t.hasEnded:
		return fmt.Errorf("the handler of step %s has ended; wait for its goroutines before it returns", t.StepName)
	}
	t.Claim.parts++
	return nil
}

func (t *Task) endPart() {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.Claim.parts--
	t.Claim.changed.Broadcast()
}

// end refuses further parts, waits for those in progress unless Hapax reports the loss of the task, and returns the wait of
// this execution, if there is one. Otherwise a body that is running could not be recorded, and would run again.
func (t *Task) end() *hapaxv1.SuspendTaskRequest {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.hasEnded = true
	for t.Claim.parts > 0 && !t.Claim.isRevoked {
		t.Claim.changed.Wait()
	}
	return t.suspension
}

func (t *Task) receive(ctx context.Context, wait Wait) (*hapaxv1.Payload, bool, error) {
	filter := wait.filter()
	for i, signal := range t.signals {
		isOfHook := filter.HookName == "" || filter.HookName == signal.GetHookName()
		if isOfHook && (filter.Type == "" || filter.Type == signal.GetType()) {
			t.signals = append(append([]*hapaxv1.Signal{}, t.signals[:i]...), t.signals[i+1:]...)
			return t.store(ctx, wait.Name, signal.GetPayload(), signal.GetSignalId())
		}
	}
	return nil, false, nil
}

// awaitUntil suspends the execution until the signal or the timeout, which it records.
func (t *Task) awaitUntil(ctx context.Context, wait Wait) (*hapaxv1.Payload, error) {
	filter := wait.filter()
	if wait.Timeout == 0 {
		return nil, t.suspend(0, filter)
	}
	left, err := t.left(ctx, wait.Name+".deadline", wait.Timeout)
	if err != nil {
		return nil, err
	}
	if left > 0 {
		return nil, t.suspend(left, filter)
	}
	payload, _, err := t.store(ctx, wait.Name, timedOut)
	return payload, err
}

// left returns what is left of a wait, whose end is recorded first.
func (t *Task) left(ctx context.Context, name string, wait time.Duration) (time.Duration, error) {
	if wait > longestWait {
		return 0, Fail(FinalFailure, "WAIT_TOO_LONG", fmt.Sprintf("%s must wait at most 365 days (was %s)", name, wait))
	}
	payload, isRecorded, err := t.find(ctx, name)
	if err == nil && !isRecorded {
		end := time.Now().Add(wait).UTC().Format(time.RFC3339Nano)
		payload, _, err = t.store(ctx, name, jsonPayload(fmt.Sprintf("%q", fmt.Sprintf("%s %d %d", end, t.Attempt, t.Claim.Fence))))
	}
	if err != nil {
		return 0, err
	}
	var end string
	var attempt int32
	var fence int64
	text, err := decoded[string](payload)
	if err == nil {
		_, err = fmt.Sscanf(text, "%s %d %d", &end, &attempt, &fence)
	}
	until, malformed := time.Parse(time.RFC3339Nano, end)
	if err != nil || malformed != nil {
		return 0, Fail(FinalFailure, "STEP_CHANGED", fmt.Sprintf("the recorded step %s is not a wait; keep step names stable", name))
	}
	if t.Attempt == attempt && t.Claim.Fence > fence {
		return 0, nil // Hapax has measured the wait; the clock decides only if that execution died around it
	}
	return least(time.Until(until), wait), nil
}

func (t *Task) suspend(wait time.Duration, filter *hapaxv1.SignalFilter) error {
	patch, err := t.patch()
	if err != nil {
		return err
	}
	suspension := &hapaxv1.SuspendTaskRequest{Claim: t.Claim.message, SignalFilter: filter, StatePatch: patch}
	if wait > 0 {
		suspension.Time = &hapaxv1.SuspendTaskRequest_Duration{Duration: durationpb.New(wait)}
	}
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.suspension = suspension
	return ErrSuspended
}

func (t *Task) find(ctx context.Context, name string) (output *hapaxv1.Payload, isRecorded bool, err error) {
	t.Claim.mutex.Lock()
	isUsed := t.used[name]
	t.used[name] = true
	t.Claim.mutex.Unlock()
	switch {
	case name == "" || len([]rune(name)) > 100:
		return nil, false, Fail(FinalFailure, "STEP_NAME_INVALID", fmt.Sprintf("a step name must have 1 to 100 characters (was %q)", name))
	case isUsed:
		return nil, false, Fail(FinalFailure, "STEP_NAME_REUSED", "a step name must be unique in an execution: "+name)
	}
	if output, isRecorded = t.recorded[name]; isRecorded || !t.Message.GetMoreRecorded() {
		return output, isRecorded, nil
	}
	return t.send(ctx, &hapaxv1.RecordStepRequest{Name: name})
}

func (t *Task) store(ctx context.Context, name string, output *hapaxv1.Payload, consumed ...string) (*hapaxv1.Payload, bool, error) {
	if output == nil {
		output = null
	}
	return t.send(ctx, &hapaxv1.RecordStepRequest{Name: name, Output: output, ConsumedSignalIds: consumed})
}

func (t *Task) send(ctx context.Context, request *hapaxv1.RecordStepRequest) (*hapaxv1.Payload, bool, error) {
	if err := t.Claim.revoked(); err != nil {
		return nil, false, err
	}
	request.Claim = t.Claim.message
	response := &hapaxv1.RecordStepResponse{}
	_, err := t.client.record(ctx, "WorkerService/RecordStep", request, response)
	if errors.Is(err, Refused) {
		return nil, false, &Error{Kind: FinalFailure, FailureCode: err.(*Error).Reason, cause: err,
			Message: fmt.Sprintf("step %s was not recorded: %v", request.Name, err)}
	}
	if over := response.GetClaimLost(); over != nil {
		t.Claim.revoke(lostReason(over))
		err = t.Claim.revoked()
	}
	return response.GetRecorded().GetOutput(), response.GetRecorded() != nil, err
}
