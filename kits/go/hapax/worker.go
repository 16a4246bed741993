package hapax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

const firstRelease, longestRelease, releasesKept, claimsKept = 5 * time.Second, 5 * time.Minute, 10_000, 10_000

// Handler does a step. It returns the output: []byte, anything with a JSON, or nil. An error fails the attempt, which is
// retried as the definition says; a FinalFailure ends the run as FAILED. The context is cancelled when the task is lost.
type Handler func(ctx context.Context, task *Task) (any, error)

// Worker does the steps of runs. A step may run again after its effect, here or elsewhere, if the worker dies before its end
// is recorded. Hand Task.StepID to what the handler calls as its idempotency key: it is the same on every attempt.
type Worker struct {
	Client      *Client
	Queues      []string
	Steps       map[string]Handler // by the name of the step, by definition/name, or by * for every other step
	Workflows   []AnyWorkflow      // are registered first; their queues are polled, too
	Concurrency int                // how many tasks at once; 0 = 10
	ID          string             // "" = the name of the host and the process

	// OnCodeChange says what happens to a run whose records this code does not ask for; "" = ReleaseOnCodeChange.
	OnCodeChange OnCodeChange
}

// OnCodeChange says what a worker does with a run that older code has begun, if its own code does not fit to the records.
type OnCodeChange string

// What a worker may do with such a run, before anything new runs.
const (
	ReleaseOnCodeChange OnCodeChange = "release" // gives the step back, for a worker with code that fits
	FailOnCodeChange    OnCodeChange = "fail"    // fails the run with STEP_CHANGED
	WarnOnCodeChange    OnCodeChange = "warn"    // writes a line to the log, and goes on
)

// Run polls until the context ends. Then it polls no more, renews the leases of its tasks, and returns when they are done.
// For SIGTERM, take a context of signal.NotifyContext.
func (w *Worker) Run(ctx context.Context) error {
	queues, steps, err := w.work()
	if err != nil {
		return err
	}
	switch w.OnCodeChange {
	case "", ReleaseOnCodeChange, FailOnCodeChange, WarnOnCodeChange:
	default:
		return fmt.Errorf("OnCodeChange must be release, fail or warn (was %s)", w.OnCodeChange)
	}
	if err := w.Client.checkServer(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if err := w.Register(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	name := w.ID
	if name == "" {
		host, _ := os.Hostname()
		name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	s := &shift{
		worker: w, client: w.Client, stopping: ctx, steps: steps,
		doing: map[string]chan struct{}{}, releases: map[string]time.Duration{}, warned: map[string]bool{}, taken: map[string]bool{},
	}
	s.keeper = newKeeper(w.Client, "complete_task", s.heartbeat)
	work := detached{ctx}
	renewing, stop := context.WithCancel(work)
	defer stop()
	go s.keeper.run(renewing)
	w.Client.poll(ctx, "PollTasks", w.Concurrency, func(ctx context.Context, p poll) ([]func(), error) {
		response := &hapaxv1.PollTasksResponse{}
		request := &hapaxv1.PollTasksRequest{Queues: queues, WorkerId: name, AttemptId: p.attempt, MaxTasks: p.room, Wait: p.wait}
		answered, err := w.Client.send(ctx, "WorkerService/PollTasks", request, response, p.budget)
		var items []func()
		for _, task := range response.GetTasks() {
			task := task
			items = append(items, func() { s.do(work, task, answered) })
		}
		return items, err
	})
	return nil
}

// work returns the queues that this worker polls, and what it does.
func (w *Worker) work() (queues []string, steps map[string]Handler, err error) {
	queues, steps = append(queues, w.Queues...), map[string]Handler{}
	for name, handler := range w.Steps {
		steps[name] = handler
	}
	isPolled := map[string]bool{}
	for _, queue := range queues {
		isPolled[queue] = true
	}
	for _, workflow := range w.Workflows {
		definition := workflow.registration()
		name := definition.Name + "/" + workflowStep
		if steps[name] != nil {
			return nil, nil, fmt.Errorf("Steps and Workflows have more than one handler for %s; keep one", name)
		}
		steps[name] = workflow.handle
		if queue := definition.Steps[0].GetCode().GetQueue(); !isPolled[queue] {
			isPolled[queue] = true
			queues = append(queues, queue)
		}
	}
	if w.Client == nil || len(queues) == 0 {
		return nil, nil, errors.New("a worker needs a Client, and Queues or Workflows")
	}
	return queues, steps, nil
}

// checkServer waits for the server, and returns an error if it lacks what the kit needs.
func (c *Client) checkServer(ctx context.Context) error {
	for rejections := 0; ctx.Err() == nil; rejections++ {
		response := &hapaxv1.GetServerInfoResponse{}
		request := &hapaxv1.GetServerInfoRequest{}
		if _, err := c.send(ctx, "MonitoringService/GetServerInfo", request, response, budget{giveUp: forever}); err != nil {
			c.rejected(ctx, "GetServerInfo", rejections, err)
			continue
		}
		for _, feature := range response.GetServer().GetFeatures() {
			if feature == hapaxv1.ServerFeature_SERVER_FEATURE_PARTS {
				return nil
			}
		}
		return fmt.Errorf("the server lacks parts (version %s): upgrade the server", response.GetServer().GetVersion())
	}
	return nil
}

// shift is the time between the start of a worker and its end.
type shift struct {
	worker   *Worker
	client   *Client
	keeper   *keeper
	stopping context.Context
	steps    map[string]Handler // also those of workflows
	mutex    sync.Mutex
	doing    map[string]chan struct{} // by the id of the step; closed when its handler has ended
	releases map[string]time.Duration // the last delays, by the id of the step or run
	warned   map[string]bool          // by the id of the run
	taken    map[string]bool          // the ids of the last claims, which are done once each
	order    []string                 // of taken, the oldest first
}

func (s *shift) heartbeat(ctx context.Context, claims []*hapaxv1.Claim, details []*hapaxv1.Payload, timeout time.Duration) ([]renewal, *Error) {
	response := &hapaxv1.HeartbeatTasksResponse{}
	request := &hapaxv1.HeartbeatTasksRequest{Workspace: s.client.workspace, Claims: claims}
	for _, each := range details {
		if each == nil {
			each = &hapaxv1.Payload{} // keeps what is stored
		}
		request.Details = append(request.Details, each)
	}
	_, err := s.client.tryOnce(ctx, "WorkerService/HeartbeatTasks", request, response, timeout)
	results := make([]renewal, len(response.GetResults()))
	for i, result := range response.GetResults() {
		results[i] = result
	}
	return results, err
}

// do does a task, and then the next ones of its run that this worker is given.
func (s *shift) do(ctx context.Context, task *hapaxv1.Task, granted answer) {
	for task != nil && s.take(task.GetClaim().GetId()) {
		task, granted = s.doOne(ctx, task, granted)
	}
}

// take returns false for a claim that this worker is working on or has finished: an answer may bring it again.
func (s *shift) take(claim string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.taken[claim] {
		s.client.logf("hapax: task %s is ignored, it was received before", claim)
		return false
	}
	s.taken[claim] = true
	s.order = append(s.order, claim)
	if len(s.order) > claimsKept {
		delete(s.taken, s.order[0])
		s.order = s.order[1:]
	}
	return true
}

func (s *shift) doOne(ctx context.Context, message *hapaxv1.Task, granted answer) (*hapaxv1.Task, answer) {
	held, claim := s.keeper.holdAttempt(ctx, message.GetClaim(), message.GetLeaseRemaining(), message.GetAttemptRemaining(), granted, forever)
	defer s.keeper.drop(claim)
	// a task that was lost and received again waits until its former handler has ended
	id, ended := message.GetStep().GetId(), make(chan struct{})
	s.mutex.Lock()
	former := s.doing[id]
	s.doing[id] = ended
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		if s.doing[id] == ended {
			delete(s.doing, id)
		}
		s.mutex.Unlock()
		close(ended)
	}()
	if former != nil {
		<-former
	}
	if claim.revoked() != nil {
		return nil, answer{}
	}
	e := newExecution(s.client, message, claim, held)
	e.onCodeChange = s.worker.OnCodeChange
	e.warn = func(text string) { s.warn(message.GetRun().GetId(), text) }
	if until := message.GetStep().GetLeaseUntil(); until != nil {
		e.ahead = until.AsTime().Sub(granted.sentAt.Add(message.GetLeaseRemaining().AsDuration()))
	}
	return s.attempt(held, newTask(s.client, message, e))
}

// attempt runs the handler and records its end.
func (s *shift) attempt(ctx context.Context, t *Task) (*hapaxv1.Task, answer) {
	handler := s.handler(t)
	if handler == nil {
		s.release(ctx, t, t.StepID, nil, "this worker has no handler for step "+t.StepName)
		return nil, answer{}
	}
	inSpan, endSpan := ctx, func(error) {}
	if begin := s.client.options.TaskSpan; begin != nil {
		inSpan, endSpan = begin(ctx, t)
	}
	output, err := s.client.guarded(inSpan, t.Claim, func(ctx context.Context, _ *Claim) (any, error) { return handler(ctx, t) })
	ending := t.end()
	switch {
	case ending == nil:
		endSpan(err)
	case ending.isFailure:
		endSpan(ending.err)
	default:
		endSpan(nil)
	}
	switch {
	case ending != nil && ending.isFailure:
		s.fail(ctx, t, ending.err, ending.parts...)
		return nil, answer{}
	case ending != nil && ending.isRelease:
		s.release(ctx, t, t.RunID, ending.reason, ending.err.Error())
		return nil, answer{}
	case ending != nil:
		s.suspend(ctx, t, ending)
		return nil, answer{}
	case err == nil && t.Claim.inSQL != nil:
		// has no effect if the transaction was committed
		err = Fail(RetryableFailure, "NOT_COMMITTED", "the transaction was not committed")
	case err == nil:
		return s.complete(ctx, t, output)
	}
	s.fail(ctx, t, err)
	return nil, answer{}
}

func (s *shift) handler(t *Task) Handler {
	for _, name := range []string{t.Message.GetRun().GetDefinition() + "/" + t.StepName, t.StepName, "*"} {
		if handler := s.steps[name]; handler != nil {
			return handler
		}
	}
	return nil
}

func (s *shift) suspend(ctx context.Context, t *Task, e *ending) {
	patch, err := t.execution.lastPatch()
	if err != nil {
		s.fail(ctx, t, Fail(FinalFailure, "RESULT_REFUSED", fmt.Sprintf("the change of the state cannot be stored: %v", err)))
		return
	}
	request := &hapaxv1.SuspendTaskRequest{Claim: t.Claim.message, SignalFilter: e.filter, StatePatch: patch}
	if !e.until.IsZero() {
		left := e.until.Sub(t.execution.now())
		if left < time.Millisecond {
			left = time.Millisecond // it ended while a body was running
		}
		request.Time = &hapaxv1.SuspendTaskRequest_Duration{Duration: durationpb.New(left)}
	}
	s.end(ctx, "SuspendTask", t, request, &hapaxv1.SuspendTaskResponse{})
}

func (s *shift) complete(ctx context.Context, t *Task, value any) (*hapaxv1.Task, answer) {
	if names := t.execution.unasked(); len(names) > 0 {
		s.client.logf("hapax: step %s of %s ends without asking for records %s", t.StepName, t.RunID, listed(names))
	}
	output, err := s.client.payload(ctx, value)
	if errors.Is(err, Unavailable) {
		s.fail(ctx, t, err)
		return nil, answer{}
	}
	patch, unfit := t.execution.lastPatch()
	if err == nil {
		err = unfit
	}
	if err == nil {
		wantNext := s.stopping.Err() == nil
		request := &hapaxv1.CompleteTaskRequest{Claim: t.Claim.message, Output: output, StatePatch: patch, WantNext: wantNext}
		response := &hapaxv1.CompleteTaskResponse{}
		var answered answer
		if answered, err = s.end(ctx, "CompleteTask", t, request, response); err == nil {
			return response.GetCompleted().GetNext(), answered
		}
	}
	if kind := kindOf(err); kind == Refused || kind == RetryableFailure {
		// the effect has happened, and the next attempt would be refused again
		s.fail(ctx, t, Fail(FinalFailure, "RESULT_REFUSED", fmt.Sprintf("the step was done, but its result cannot be stored: %v", err)))
	}
	return nil, answer{}
}

func (s *shift) fail(ctx context.Context, t *Task, err error, parts ...*hapaxv1.PartRecord) {
	if errors.Is(err, ClaimLost) && t.Claim.Err() != nil {
		return
	}
	s.client.logf("hapax: step %s of %s failed: %v", t.StepName, t.RunID, err)
	f := failure(err)
	kind := hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE
	switch {
	case kindOf(err) == FinalFailure:
		kind = hapaxv1.FailureKind_FAILURE_KIND_FINAL
	case kindOf(err) == UnknownEffect && f.GetPart() != "":
		kind = hapaxv1.FailureKind_FAILURE_KIND_UNKNOWN_EFFECT
	}
	request := &hapaxv1.FailTaskRequest{Claim: t.Claim.message, Kind: kind, Failure: f, RetryAfter: retryAfter(err), Parts: parts}
	s.keeper.report(ctx, t.Claim)
	s.end(ctx, "FailTask", t, request, &hapaxv1.FailTaskResponse{})
}

// release gives back a step that another worker of the queue, older or newer, may do. The delay doubles each time.
func (s *shift) release(ctx context.Context, t *Task, id string, reason *hapaxv1.Failure, text string) {
	s.mutex.Lock()
	delay := firstRelease
	if former, isKnown := s.releases[id]; isKnown {
		delay = least(2*former, longestRelease)
	} else if len(s.releases) >= releasesKept {
		s.releases = map[string]time.Duration{}
	}
	s.releases[id] = delay
	s.mutex.Unlock()
	s.client.logf("hapax: %s; it is released for %s", text, delay)
	request := &hapaxv1.ReleaseTaskRequest{Claim: t.Claim.message, Delay: durationpb.New(delay), Reason: reason}
	s.end(ctx, "ReleaseTask", t, request, &hapaxv1.ReleaseTaskResponse{})
}

// warn logs once for each run that this code does not fit.
func (s *shift) warn(run, text string) {
	s.mutex.Lock()
	isKnown := s.warned[run]
	if len(s.warned) >= releasesKept {
		s.warned = map[string]bool{}
	}
	s.warned[run] = true
	s.mutex.Unlock()
	if !isKnown {
		s.client.logf("hapax: the code does not fit run %s, and goes on: %s", run, text)
	}
}

// end records the end of a task, unless Hapax has reported its loss.
func (s *shift) end(ctx context.Context, rpc string, t *Task, request proto.Message, response ended) (answer, error) {
	if t.Claim.revoked() != nil {
		s.client.logf("hapax: task %s was lost, its result is dropped", t.StepID)
		return answer{}, nil
	}
	answered, err := s.client.record(ctx, "WorkerService/"+rpc, request, response)
	if err != nil {
		s.client.logf("hapax: the end of step %s of %s may not be recorded: %v", t.StepName, t.RunID, err)
	} else if over := response.GetClaimLost(); over != nil && t.Claim.inSQL == nil {
		s.client.logf("hapax: task %s was lost: %s", t.StepID, lostReason(over))
	}
	return answered, err
}
