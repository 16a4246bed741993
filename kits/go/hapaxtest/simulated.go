package hapaxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
	"hapax.dev/kits/go/internal/simulation"
)

// simulated is the connection to a server with one task, which keeps its parts as Hapax does. No time passes but in pauses.
type simulated struct {
	mutex    sync.Mutex
	task     *hapaxv1.Task // as the next grant has it, without open parts
	code     *hapaxv1.CodeStep
	open     map[string]*hapaxv1.OpenPart
	failedAt map[string]time.Time // the first failure of a part
	failures int32                // of executions in a row, without progress
	now      time.Time
	ready    chan bool // the task can be granted
	ended    chan bool
	hasEnded bool
	output   *hapaxv1.Payload
	err      error
	payloads hapax.PayloadStore
	isCheck  bool // the execution ends at its first new part
	isNew    bool // it came to one
}

// run runs the worker until the task has ended, and returns the output of the run, and the client of the worker.
func (s *simulated) run(worker hapax.Worker, beforePart func(part string) error) (*hapaxv1.Payload, *hapax.Client, error) {
	s.ready, s.ended = make(chan bool, 1), make(chan bool)
	s.open, s.failedAt = map[string]*hapaxv1.OpenPart{}, map[string]time.Time{}
	s.task.Claim, s.task.LeaseRemaining = &hapaxv1.Claim{}, durationpb.New(24*time.Hour)
	now := func() time.Time { s.mutex.Lock(); defer s.mutex.Unlock(); return s.now }
	client, err := hapax.Connect(hapax.Options{
		Logf: func(string, ...any) {}, Payloads: s.payloads, Simulation: &simulation.Simulation{Connection: s, Now: now, BeforePart: beforePart},
	})
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	worker.Client = client
	go func() { stopped <- worker.Run(ctx) }()
	s.ready <- true
	select {
	case <-s.ended:
		stop()
		<-stopped
	case s.err = <-stopped:
		stop()
	}
	return s.output, client, s.err
}

func (s *simulated) end(output *hapaxv1.Payload, code, text string) {
	if s.hasEnded {
		return
	}
	s.hasEnded, s.output = true, output
	if text != "" {
		s.err = &hapax.Error{Kind: hapax.RunFailed, FailureCode: code, Message: text}
	}
	close(s.ended)
}

// NewStream is not called: the API has no streams.
func (s *simulated) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, status.Error(codes.Unimplemented, "there is no server")
}

// Invoke answers a call of the worker.
func (s *simulated) Invoke(ctx context.Context, method string, request, response any, _ ...grpc.CallOption) error {
	if poll, isPoll := request.(*hapaxv1.PollTasksRequest); isPoll {
		select {
		case <-s.ready:
		case <-time.After(poll.GetWait().AsDuration()):
			return nil
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch request := request.(type) {
	case *hapaxv1.GetServerInfoRequest:
		features := []hapaxv1.ServerFeature{hapaxv1.ServerFeature_SERVER_FEATURE_PARTS}
		response.(*hapaxv1.GetServerInfoResponse).Server = &hapaxv1.ServerInfo{Features: features}
	case *hapaxv1.RegisterDefinitionRequest:
		if s.task.Run == nil {
			s.code = request.GetSteps()[0].GetCode()
			s.task.Run = &hapaxv1.Run{Id: "run", Definition: request.GetName(), DefinitionVersion: request.GetVersion()}
			s.task.Step = &hapaxv1.Step{Id: "run/main", Name: request.GetSteps()[0].GetName(), Attempt: 1}
		}
	case *hapaxv1.PollTasksRequest:
		s.task.Claim.Fence++
		s.task.Claim.Id = fmt.Sprint("claim-", s.task.Claim.Fence)
		task := proto.Clone(s.task).(*hapaxv1.Task)
		for _, part := range s.open {
			task.OpenParts = append(task.OpenParts, proto.Clone(part).(*hapaxv1.OpenPart))
		}
		response.(*hapaxv1.PollTasksResponse).Tasks = []*hapaxv1.Task{task}
	case *hapaxv1.RecordStepRequest:
		s.record(request, response.(*hapaxv1.RecordStepResponse))
	case *hapaxv1.SuspendTaskRequest:
		s.patch(request.GetStatePatch())
		filter := request.GetSignalFilter()
		switch {
		case s.isCheck:
			s.end(nil, "", "")
		case request.GetDuration() != nil:
			s.sleep(request.GetDuration().AsDuration())
		default:
			text := "the run waits for a signal of type %q, hook %q, and Signals has no further one"
			s.end(nil, "SIGNAL_MISSING", fmt.Sprintf(text, filter.GetType(), filter.GetHookName()))
		}
	case *hapaxv1.CompleteTaskRequest:
		s.end(request.GetOutput(), "", "")
	case *hapaxv1.FailTaskRequest:
		s.fail(request)
	case *hapaxv1.ReleaseTaskRequest:
		text := "the worker has no handler for step " + s.task.GetStep().GetName() + " of " + s.task.GetRun().GetDefinition()
		if request.GetReason() != nil {
			text = request.GetReason().GetMessage()
		}
		s.end(nil, request.GetReason().GetCode(), text)
	default:
		return status.Error(codes.Unimplemented, "there is no server for "+method)
	}
	return nil
}

func (s *simulated) record(request *hapaxv1.RecordStepRequest, response *hapaxv1.RecordStepResponse) {
	name := request.GetParts()[0].GetName()
	if s.isCheck && !strings.Contains("/"+name, "/patched/") { // a wait begins, or a part that runs at most once
		response.Outcome = &hapaxv1.RecordStepResponse_ClaimLost{ClaimLost: &hapaxv1.ClaimLost{}}
		s.end(nil, "", "")
		return
	}
	results := &hapaxv1.PartResults{}
	for _, part := range request.GetParts() {
		results.Results = append(results.Results, s.report(part))
	}
	s.patch(request.GetStatePatch())
	response.Outcome = &hapaxv1.RecordStepResponse_Parts{Parts: results}
}

func (s *simulated) report(part *hapaxv1.PartRecord) *hapaxv1.PartResult {
	name := part.GetName()
	if output := part.GetOutput(); output != nil {
		delete(s.open, name)
		s.failures = 0
		s.task.Recorded = append(s.task.Recorded,
			&hapaxv1.RecordedStep{Name: name, Output: output, Overlapped: part.GetOverlapped(), IsWait: part.GetIsWait()})
		var signals []*hapaxv1.Signal
		for _, signal := range s.task.GetSignals() {
			if !has(part.GetConsumedSignalIds(), signal.GetSignalId()) {
				signals = append(signals, signal)
			}
		}
		s.task.Signals = signals
		return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Recorded{Recorded: &hapaxv1.RecordStepResponse_Recorded{Output: output}}}
	}
	open := s.open[name]
	if open == nil {
		open = &hapaxv1.OpenPart{Name: name}
		s.open[name] = open
	}
	failure := part.GetFailure()
	if failure == nil {
		open.State, open.Attempts = hapaxv1.PartState_PART_STATE_BEGUN, open.GetAttempts()+1
		return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Begun{Begun: &hapaxv1.PartBegun{}}}
	}
	if s.failedAt[name].IsZero() {
		s.failedAt[name] = s.now
	}
	policy := failure.GetRetry()
	if policy == nil {
		policy = s.code.GetPartRetry()
	}
	open.State, open.Attempts, open.Failure = hapaxv1.PartState_PART_STATE_FAILED, failure.GetAttempt(), failure.GetFailure()
	result := &hapaxv1.PartFailed{Failure: open.Failure, Attempts: open.Attempts}
	pause, isRetried := pauseOf(policy, 8, time.Minute, failure)
	limit := policy.GetGiveUpAfter()
	if due := s.now.Add(pause); isRetried && (limit == nil || due.Before(s.failedAt[name].Add(limit.AsDuration()))) {
		open.State, open.DueAt = hapaxv1.PartState_PART_STATE_RETRY, timestamppb.New(due)
		result.RetryAt, result.RetryIn = open.DueAt, durationpb.New(pause)
	}
	return &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Failed{Failed: result}}
}

// pauseOf returns the longest pause after a failed attempt, and false if it was the last one. 0 and nil of a policy are these
// attempts, 1 s, twice as long each time, and this longest pause.
func pauseOf(policy *hapaxv1.RetryPolicy, attempts int32, longest time.Duration, failure *hapaxv1.PartFailure) (time.Duration, bool) {
	initial, factor, code := time.Second, math.Max(policy.GetFactor(), 1), failure.GetFailure().GetCode()
	if policy.GetMaxAttempts() != 0 {
		attempts = policy.GetMaxAttempts()
	}
	if policy.GetInitial() != nil {
		initial = policy.GetInitial().AsDuration()
	}
	if policy.GetFactor() == 0 {
		factor = 2
	}
	if policy.GetMax() != nil {
		longest = policy.GetMax().AsDuration()
	}
	isRetried := failure.GetKind() == hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE && (attempts < 0 || failure.GetAttempt() < attempts) &&
		!has(policy.GetNonRetryable(), code) && (len(policy.GetRetryOnly()) == 0 || has(policy.GetRetryOnly(), code))
	if failure.GetRetryAfter() != nil {
		return failure.GetRetryAfter().AsDuration(), isRetried
	}
	pause := float64(initial) * math.Pow(factor, float64(failure.GetAttempt()-1))
	return time.Duration(math.Min(pause, float64(longest))), isRetried
}

func has(texts []string, text string) bool {
	for _, each := range texts {
		if each == text {
			return true
		}
	}
	return false
}

// patch changes the state by a merge patch (RFC 7396).
func (s *simulated) patch(patch *hapaxv1.Payload) {
	state, changes := map[string]any{}, map[string]any{}
	_ = json.Unmarshal([]byte(s.task.GetState().GetJson()), &state)
	_ = json.Unmarshal([]byte(patch.GetJson()), &changes)
	merge(state, changes)
	s.task.State, _ = hapax.Payload(state)
}

func merge(into, patch map[string]any) {
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isObject:
			former, wasObject := into[name].(map[string]any)
			if !wasObject {
				former = map[string]any{}
				into[name] = former
			}
			merge(former, inner)
		default:
			into[name] = value
		}
	}
}

// sleep lets the next execution begin after the pause.
func (s *simulated) sleep(pause time.Duration) {
	s.now = s.now.Add(pause)
	s.ready <- true
}

func (s *simulated) fail(request *hapaxv1.FailTaskRequest) {
	s.failures++
	f := request.GetFailure()
	failure := &hapaxv1.PartFailure{Attempt: s.failures, Failure: f, Kind: request.GetKind(), RetryAfter: request.GetRetryAfter()}
	pause, isRetried := pauseOf(s.code.GetRetry(), 3, 5*time.Minute, failure)
	switch {
	case s.isCheck && (s.isNew || f.GetPart() != ""): // the failure of a part is no matter of the code
		s.end(nil, "", "")
	case s.isCheck || !isRetried:
		s.end(nil, f.GetCode(), f.GetCode()+" "+f.GetMessage())
	default:
		s.task.Step.Attempt++
		s.sleep(pause)
	}
}
