package hapax

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hapax.dev/kits/go/hapaxv1"
)

const (
	retrying = hapaxv1.PartState_PART_STATE_RETRY
	begun    = hapaxv1.PartState_PART_STATE_BEGUN
	forGood  = hapaxv1.PartState_PART_STATE_FAILED
)

// scene is a server with one code step, whose parts it keeps as Hapax does.
type scene struct {
	mutex    sync.Mutex
	order    []string
	outputs  map[string]*hapaxv1.RecordedStep
	open     map[string]*hapaxv1.OpenPart
	calls    []*hapaxv1.RecordStepRequest
	pages    int           // that were read
	perGrant int           // records that a task brings, and a page; 0 = all
	attempts int32         // of a part
	pause    time.Duration // before its next attempt
	isHeld   bool          // the worker waits in place for it
	fence    int64
	onRecord func(*hapaxv1.RecordStepRequest) (proto.Message, error) // instead of the answer, unless it is nil

	payloads     PayloadStore
	onCodeChange OnCodeChange
	lines        *logged
}

func newScene() *scene {
	return &scene{
		outputs: map[string]*hapaxv1.RecordedStep{}, open: map[string]*hapaxv1.OpenPart{}, attempts: 3, pause: time.Millisecond, isHeld: true,
	}
}

// with has a part that an earlier execution recorded.
func (s *scene) with(name, output string) *hapaxv1.RecordedStep {
	s.order = append(s.order, name)
	s.outputs[name] = &hapaxv1.RecordedStep{Name: name, Output: jsonPayload(output)}
	return s.outputs[name]
}

func (s *scene) task() *hapaxv1.Task {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.fence++
	task := heldTask(fmt.Sprintf("step-%d", s.fence), time.Minute)
	task.Claim.Fence, task.Step.Id, task.Step.Attempt, task.Run.Id = s.fence, "step", 1, "run"
	task.Recorded, task.MoreRecordedToken = s.page(0)
	for _, part := range s.open {
		task.OpenParts = append(task.OpenParts, proto.Clone(part).(*hapaxv1.OpenPart))
	}
	return task
}

// page returns the records from a number on, and the token of the next ones.
func (s *scene) page(from int) (records []*hapaxv1.RecordedStep, next string) {
	for i := from; i < len(s.order); i++ {
		if s.perGrant > 0 && i-from == s.perGrant {
			return records, fmt.Sprint(i)
		}
		records = append(records, s.outputs[s.order[i]])
	}
	return records, ""
}

func (s *scene) list(_ context.Context, request *hapaxv1.ListRecordsRequest) (proto.Message, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pages++
	from := 0
	_, _ = fmt.Sscan(request.GetPageToken(), &from)
	response := &hapaxv1.ListRecordsResponse{}
	response.Recorded, response.NextPageToken = s.page(from)
	return response, nil
}

func (s *scene) record(_ context.Context, request *hapaxv1.RecordStepRequest) (proto.Message, error) {
	s.mutex.Lock()
	s.calls = append(s.calls, request)
	onRecord := s.onRecord
	s.mutex.Unlock()
	if onRecord != nil {
		if response, err := onRecord(request); response != nil || err != nil {
			return response, err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	results := &hapaxv1.PartResults{}
	for _, part := range request.GetParts() {
		results.Results = append(results.Results, s.report(part))
	}
	return &hapaxv1.RecordStepResponse{Outcome: &hapaxv1.RecordStepResponse_Parts{Parts: results}}, nil
}

func (s *scene) report(part *hapaxv1.PartRecord) *hapaxv1.PartResult {
	name := part.GetName()
	if known := s.outputs[name]; known != nil {
		return recordedResult(known.GetOutput(), true)
	}
	open := s.open[name]
	if open == nil {
		open = &hapaxv1.OpenPart{Name: name}
	}
	switch result := part.GetResult().(type) {
	case *hapaxv1.PartRecord_Output:
		s.with(name, "")
		delete(s.open, name)
		s.outputs[name] = &hapaxv1.RecordedStep{
			Name: name, Output: result.Output, Overlapped: part.GetOverlapped(), IsWait: part.GetIsWait(),
		}
		return recordedResult(result.Output, false)
	case *hapaxv1.PartRecord_Begin:
		isInDoubt := open.State == begun
		if !isInDoubt {
			open.State, open.Attempts = begun, open.Attempts+1
			s.open[name] = open
		}
		return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Begun{Begun: &hapaxv1.PartBegun{InDoubt: isInDoubt}}}
	default:
		failure := part.GetFailure()
		open.State, open.Attempts, open.Failure = retrying, failure.GetAttempt(), failure.GetFailure()
		failed := &hapaxv1.PartFailed{Failure: open.Failure, Attempts: open.Attempts}
		if failure.GetKind() == hapaxv1.FailureKind_FAILURE_KIND_FINAL || open.Attempts >= s.attempts {
			open.State = forGood
		} else {
			pause := s.pause
			if after := failure.GetRetryAfter(); after != nil {
				pause = after.AsDuration()
			}
			open.DueAt = timestamppb.New(time.Now().Add(pause))
			failed.RetryAt, failed.RetryIn, failed.Hold = open.DueAt, durationpb.New(pause), s.isHeld
		}
		s.open[name] = open
		return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Failed{Failed: failed}}
	}
}

func recordedResult(output *hapaxv1.Payload, already bool) *hapaxv1.PartResult {
	recorded := &hapaxv1.RecordStepResponse_Recorded{Output: output, Already: already}
	return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Recorded{Recorded: recorded}}
}

// execute returns how the executions of these tasks end, each with the handler.
func (s *scene) execute(t *testing.T, handler Handler, tasks ...*hapaxv1.Task) (ends []proto.Message) {
	t.Helper()
	given, ended := make(chan *hapaxv1.Task, len(tasks)), make(chan proto.Message, len(tasks))
	for _, task := range tasks {
		given <- task
	}
	client, lines := handlers{
		"WorkerService/PollTasks": on(func(ctx context.Context, request *hapaxv1.PollTasksRequest) (proto.Message, error) {
			select {
			case task := <-given:
				return &hapaxv1.PollTasksResponse{Tasks: []*hapaxv1.Task{task}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
		"WorkerService/RecordStep":   on(s.record),
		"WorkerService/ListRecords":  on(s.list),
		"WorkerService/CompleteTask": endOf[hapaxv1.CompleteTaskRequest](ended, &hapaxv1.CompleteTaskResponse{}),
		"WorkerService/FailTask":     endOf[hapaxv1.FailTaskRequest](ended, &hapaxv1.FailTaskResponse{}),
		"WorkerService/SuspendTask":  endOf[hapaxv1.SuspendTaskRequest](ended, &hapaxv1.SuspendTaskResponse{}),
		"WorkerService/ReleaseTask":  endOf[hapaxv1.ReleaseTaskRequest](ended, &hapaxv1.ReleaseTaskResponse{}),
	}.client(t)
	s.lines, client.Payloads = lines, s.payloads
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() {
		worker := &Worker{
			Client: client, Queues: []string{"q"}, Steps: map[string]Handler{"step": handler}, Concurrency: 1, OnCodeChange: s.onCodeChange,
		}
		stopped <- worker.Run(ctx)
	}()
	for range tasks {
		select {
		case end := <-ended:
			ends = append(ends, end)
		case <-time.After(patience):
			t.Fatalf("an execution does not end; the log has %v", lines.with(""))
		}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	return ends
}

func endOf[Q any](ended chan proto.Message, response proto.Message) func(context.Context, func(any) error) (any, error) {
	return on(func(_ context.Context, request *Q) (proto.Message, error) {
		ended <- any(request).(proto.Message)
		return response, nil
	})
}

// completes executes the step once, and expects that it completes.
func (s *scene) completes(t *testing.T, handler Handler) *hapaxv1.CompleteTaskRequest {
	t.Helper()
	return endAs[*hapaxv1.CompleteTaskRequest](t, s.execute(t, handler, s.task())[0])
}

// fails executes the step once, and expects this failure.
func (s *scene) fails(t *testing.T, handler Handler, kind hapaxv1.FailureKind, code, part string) *hapaxv1.FailTaskRequest {
	t.Helper()
	end := endAs[*hapaxv1.FailTaskRequest](t, s.execute(t, handler, s.task())[0])
	if f := end.GetFailure(); end.GetKind() != kind || f.GetCode() != code || f.GetPart() != part {
		t.Errorf("the failure must be %s %s of part %q (was %v)", kind, code, part, end)
	}
	return end
}

func endAs[M proto.Message](t *testing.T, end proto.Message) M {
	t.Helper()
	as, isExpected := end.(M)
	if !isExpected {
		t.Fatalf("the execution must end by %T (was %T %v)", as, end, end)
	}
	return as
}

// recorded returns the reports that the server got, in their order.
func (s *scene) recorded() (parts []*hapaxv1.PartRecord) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, call := range s.calls {
		parts = append(parts, call.GetParts()...)
	}
	return parts
}

func isEqual[T any](t *testing.T, what string, value, expected T) {
	t.Helper()
	if fmt.Sprint(value) != fmt.Sprint(expected) {
		t.Errorf("%s must be %v (was %v)", what, expected, value)
	}
}
