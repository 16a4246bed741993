package hapax

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

const (
	longestWait = 365 * 24 * time.Hour
	maxDetails  = 4096
)

// ErrSuspended ends an execution that waits. Return it from the handler.
var ErrSuspended = errors.New("the execution waits; return this error from the handler")

// Task is a step of a run that this worker holds.
//
// A handler with several effects, or with waits, is a code workflow. It runs again from its beginning after every wait and
// failure, and continues where it stopped, because what it records is not done again. Keep names stable. Parts with
// different names may be recorded on several goroutines; Map does the same for many items. When the handler returns or
// waits, the worker first lets the bodies of Record end that are running, and records them.
type Task struct {
	Claim       *Claim
	Message     *hapaxv1.Task
	RunID       string
	StepID      string
	StepName    string
	Attempt     int32
	LastAttempt bool // the run fails when this attempt does

	client    *Client
	scope     *scope
	execution *execution
}

func newTask(client *Client, message *hapaxv1.Task, e *execution) *Task {
	return &Task{
		Claim: e.claim, Message: message, client: client, RunID: message.GetRun().GetId(), StepID: message.GetStep().GetId(),
		StepName: message.GetStep().GetName(), Attempt: message.GetStep().GetAttempt(), LastAttempt: message.GetLastAttempt(),
		scope: newScope(""), execution: e,
	}
}

// Input decodes the input of the run.
func (t *Task) Input(into any) error {
	return t.client.Decode(t.execution.held, t.Message.GetInput(), into)
}

// State decodes the state of the run when the task was granted.
func (t *Task) State(into any) error { return Decode(t.Message.GetState(), into) }

// PreviousOutput decodes the output of the step before.
func (t *Task) PreviousOutput(into any) error {
	return t.client.Decode(t.execution.held, t.Message.GetRun().GetOutput(), into)
}

// SignalOutput decodes the payload of the signal that ended this signal step. It is an error if no earlier step of the run is a
// signal step of this name.
func (t *Task) SignalOutput(step string, into any) error {
	for _, signal := range t.Message.GetSignalOutputs() {
		if signal.GetStepName() == step {
			return Decode(signal.GetOutput(), into)
		}
	}
	if t.Message.GetMoreSignalOutputs() {
		return fmt.Errorf("the output of step %s did not fit into the task; RunService/ListSteps returns it", step)
	}
	return fmt.Errorf("no earlier signal step is named %s", step)
}

// LastDetails decodes what Heartbeat last reported about this step, also in an attempt that was lost. It returns false if there
// is nothing.
func (t *Task) LastDetails(into any) (bool, error) {
	if t.Message.GetLastDetails() == nil {
		return false, nil
	}
	return true, Decode(t.Message.GetLastDetails(), into)
}

// Heartbeat reports details about the progress for the next attempt, such as the number of the last row that was done: a []byte,
// or anything with a JSON, of at most 4 KiB. They are sent with the next renewal of the lease, at a third of it, or before a
// failure, and only the last ones are kept. So it is cheap to call it often. They are dropped when the step is done. A code
// workflow rather records parts. Its error is ClaimLost if the task is lost: then stop.
func (t *Task) Heartbeat(details any) error {
	content, isBinary, err := contentOf(details)
	if err != nil {
		return err
	}
	if len(content) > maxDetails {
		return fmt.Errorf("details must have at most %d bytes (was %d)", maxDetails, len(content))
	}
	payload, err := payloadOf(content, isBinary)
	if err == nil {
		err = t.Claim.Err()
	}
	if err != nil {
		return err
	}
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.Claim.details = payload
	if content == nil {
		t.Claim.details = null
	}
	return nil
}

// AttemptRemaining returns the time that the attempt has left, and false if its step has no timeout. At the end the task is lost.
func (t *Task) AttemptRemaining() (time.Duration, bool) {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	if t.Claim.attemptUntil.IsZero() {
		return 0, false
	}
	if left := time.Until(t.Claim.attemptUntil); left > 0 {
		return left, true
	}
	return 0, true
}

// Traceparent returns the span that the run was started in, as the header of that name, or "".
func (t *Task) Traceparent() string { return t.Message.GetRun().GetTraceparent() }

// PatchState changes a member of the run's state; nil removes it. The change goes with the next part that is recorded, or
// with the end of this execution.
func (t *Task) PatchState(member string, value any) {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.execution.changes[member] = value
}

// SetState changes members of the run's state; nil removes one. The change is durable when it returns. It is a part with
// the name state, so later executions do not repeat it.
func (t *Task) SetState(ctx context.Context, changes map[string]any) error {
	p := &part{task: t, changes: changes, body: func(context.Context, string) (any, error) { return nil, nil }}
	_, err := p.record(ctx, "state")
	return err
}

// Patched says whether this run goes by changed code: true for a run that had not come to this place before the change. It
// has the same answer in each execution. Remove it when no older run is left.
func (t *Task) Patched(ctx context.Context, name string) (bool, error) {
	if err := t.beginPart(); err != nil {
		return false, err
	}
	defer t.endPart()
	if err := CheckPartName(name); err != nil {
		return false, err
	}
	full := t.scope.prefix + "patched/" + name
	record, _, err := t.execution.find(ctx, full)
	if err != nil {
		return false, err
	}
	t.Claim.mutex.Lock()
	t.execution.asked[full] = true
	isPatched, isAnswered := t.scope.answers[name]
	if !isAnswered {
		isPatched = record != nil || len(t.leftOver()) == 0
		t.scope.answers[name] = isPatched
	}
	t.Claim.mutex.Unlock()
	if record == nil && isPatched && !isAnswered {
		answer := outputOf(full, jsonPayload("true"))
		answer.Overlapped = true
		_, err = t.execution.sendOne(ctx, nil, answer)
	}
	return isPatched, err
}

// Suspend waits so long, at most 365 days, without a worker. Hapax measures the time, exact to about a second. Return the
// error: the handler runs again when the wait is over.
func (t *Task) Suspend(ctx context.Context, name string, wait time.Duration) error {
	u, err := t.beginWait(name)
	if err != nil {
		return err
	}
	defer t.endWait(u)
	until, err := t.until(ctx, u, u.name, wait)
	if err != nil || !t.execution.now().Before(until) {
		return err
	}
	return t.pause(until, nil)
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
	payload, err := t.awaitSignal(ctx, wait)
	if err != nil || proto.Equal(payload, timedOut) {
		return value, false, err
	}
	value, err = decoded[T](payload)
	return value, err == nil, err
}

func (t *Task) awaitSignal(ctx context.Context, wait Wait) (*hapaxv1.Payload, error) {
	u, err := t.beginWait(wait.Name)
	if err != nil {
		return nil, err
	}
	defer t.endWait(u)
	deadline := u.name + ".deadline"
	t.Claim.mutex.Lock()
	t.execution.asked[deadline] = true
	t.Claim.mutex.Unlock()
	record, _, err := t.execution.find(ctx, u.name)
	if err != nil {
		return nil, err
	}
	if record != nil {
		return record.GetOutput(), t.answered(u, record, true)
	}
	if err := t.depart(u); err != nil {
		return nil, err
	}
	if err := t.fit(u.name); err != nil {
		return nil, err
	}
	if signal := t.receive(wait.filter()); signal != nil {
		return t.store(ctx, u, u.name, signal.GetPayload(), signal.GetSignalId())
	}
	var until time.Time
	if wait.Timeout > 0 {
		if until, err = t.until(ctx, u, deadline, wait.Timeout); err != nil {
			return nil, err
		}
		if !t.execution.now().Before(until) {
			return t.store(ctx, u, u.name, timedOut)
		}
	}
	return nil, t.pause(until, wait.filter())
}

func (t *Task) beginWait(name string) (*use, error) {
	if t.scope.prefix != "" {
		text := fmt.Sprintf("%s%s waits in a branch of Map; wait in the handler, before or after Map", t.scope.prefix, name)
		return nil, Fail(FinalFailure, "WAIT_IN_BRANCH", text)
	}
	if err := t.beginPart(); err != nil {
		return nil, err
	}
	u, err := t.use(name)
	if err != nil {
		t.endPart()
	}
	return u, err
}

func (t *Task) endWait(u *use) {
	t.arrive(u)
	t.Claim.mutex.Lock()
	t.execution.isWaiting = false
	t.Claim.mutex.Unlock()
	t.endPart()
}

// receive takes the oldest matching signal, nil if there is none.
func (t *Task) receive(filter *hapaxv1.SignalFilter) *hapaxv1.Signal {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	signals := t.execution.signals
	for i, signal := range signals {
		isOfHook := filter.HookName == "" || filter.HookName == signal.GetHookName()
		if isOfHook && (filter.Type == "" || filter.Type == signal.GetType()) {
			t.execution.signals = append(append([]*hapaxv1.Signal{}, signals[:i]...), signals[i+1:]...)
			return signal
		}
	}
	return nil
}

// until returns the end of a wait, which is recorded first; the zero time if Hapax has measured it.
func (t *Task) until(ctx context.Context, u *use, name string, wait time.Duration) (time.Time, error) {
	if wait > longestWait {
		return time.Time{}, Fail(FinalFailure, "WAIT_TOO_LONG", fmt.Sprintf("%s must wait at most 365 days (was %s)", name, wait))
	}
	record, _, err := t.execution.find(ctx, name)
	if err != nil {
		return time.Time{}, err
	}
	payload := record.GetOutput()
	switch {
	case record == nil:
		if _, err = t.beginWaiting(ctx, u, name, wait); err == nil {
			return t.execution.now().Add(wait), nil // all of it, however long the record took
		}
	case name == u.name:
		err = t.answered(u, record, true)
	}
	if err != nil {
		return time.Time{}, err
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
		return time.Time{}, Fail(FinalFailure, "STEP_CHANGED", fmt.Sprintf("the recorded step %s is not a wait; keep step names stable", name))
	}
	if t.Attempt == attempt && t.Claim.Fence > fence {
		return time.Time{}, nil // Hapax has measured the wait; the clock decides only if that execution died around it
	}
	if latest := t.execution.now().Add(wait); until.After(latest) {
		return latest, nil
	}
	return until, nil
}

// beginWaiting records the end of a wait. Meanwhile no further part begins.
func (t *Task) beginWaiting(ctx context.Context, u *use, name string, wait time.Duration) (*hapaxv1.Payload, error) {
	if name == u.name {
		if err := t.depart(u); err != nil {
			return nil, err
		}
		if err := t.fit(name); err != nil {
			return nil, err
		}
	}
	t.Claim.mutex.Lock()
	t.execution.isWaiting = true
	attempt := t.Attempt
	if t.Claim.parts > 1 {
		attempt = 0 // another part may end the execution for a shorter time, so only the clock can measure this wait
	}
	t.Claim.mutex.Unlock()
	end := t.execution.now().Add(wait).UTC().Format(time.RFC3339Nano)
	return t.store(ctx, u, name, jsonPayload(fmt.Sprintf("%q", fmt.Sprintf("%s %d %d", end, attempt, t.Claim.Fence))))
}

// store records the end of a wait, and returns what was recorded first.
func (t *Task) store(ctx context.Context, u *use, name string, output *hapaxv1.Payload, consumed ...string) (*hapaxv1.Payload, error) {
	record := outputOf(name, output)
	record.IsWait, record.ConsumedSignalIds = true, consumed
	result, err := t.execution.sendOne(ctx, u, record)
	if f := result.GetFailed(); f != nil {
		return nil, &PartFailed{Part: name, Code: f.GetFailure().GetCode(), Message: f.GetFailure().GetMessage(), Attempts: f.GetAttempts()}
	}
	return result.GetRecorded().GetOutput(), err
}
