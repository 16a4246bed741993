package hapax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hapax.dev/kits/go/hapaxv1"
)

const (
	retryable = hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE
	final     = hapaxv1.FailureKind_FAILURE_KIND_FINAL
	unknown   = hapaxv1.FailureKind_FAILURE_KIND_UNKNOWN_EFFECT
)

// bodies counts the bodies that run.
type bodies struct {
	keys []string
	fail func(time int) error
}

func (b *bodies) run(_ context.Context, key string) (int, error) {
	b.keys = append(b.keys, key)
	if b.fail != nil {
		return len(b.keys), b.fail(len(b.keys))
	}
	return len(b.keys), nil
}

// pay is a handler with one part.
func (b *bodies) pay(options ...PartOption) Handler {
	return func(ctx context.Context, t *Task) (any, error) { return Record(ctx, t, "pay", b.run, options...) }
}

func busy(int) error { return Fail(RetryableFailure, "BUSY", "try again") }

// A body that fails is tried again, with the number of the attempt; Hapax decides.
func TestRetryInPlace(t *testing.T) {
	s, b := newScene(), &bodies{fail: func(time int) error {
		if time < 3 {
			return &Error{Kind: RetryableFailure, FailureCode: "BUSY", Message: "try again", RetryAfter: delayOf(time)}
		}
		return nil
	}}
	retry := Retry{MaxAttempts: -1, Initial: time.Second, Max: time.Minute, Factor: 3, NonRetryable: []string{"A"}, RetryOnly: []string{"B"}, GiveUpAfter: time.Hour}
	end := s.completes(t, b.pay(retry))
	isEqual(t, "the output", end.GetOutput().GetJson(), "3")
	isEqual(t, "the keys", b.keys, []string{"step/pay", "step/pay", "step/pay"})
	parts := s.recorded()
	if len(parts) != 3 || parts[2].GetOutput().GetJson() != "3" || parts[2].GetElapsed() == nil || parts[2].GetOverlapped() {
		t.Fatalf("there must be two failures and an output (was %v)", parts)
	}
	for i, part := range parts[:2] {
		stack := part.GetFailure().GetFailure().GetStack()
		if !strings.Contains(stack, "(*bodies).pay") {
			t.Errorf("the stack must have the handler (was %s)", stack)
		}
		same(t, part.GetFailure(), &hapaxv1.PartFailure{
			Attempt: int32(i + 1), Kind: retryable, Failure: &hapaxv1.Failure{Code: "BUSY", Message: "try again", Stack: stack},
			RetryAfter: duration(delayOf(i + 1)), Retry: &hapaxv1.RetryPolicy{
				MaxAttempts: -1, Initial: duration(time.Second), Max: duration(time.Minute), Factor: 3, NonRetryable: []string{"A"},
				RetryOnly: []string{"B"}, GiveUpAfter: duration(time.Hour),
			},
		})
	}
}

// delayOf is a delay that only the second attempt asks for.
func delayOf(attempt int) time.Duration { return time.Duration(attempt-1) * time.Millisecond }

// A long pause holds no worker, and the next execution goes on with the next attempt.
func TestRetryAfterPause(t *testing.T) {
	s, b := newScene(), &bodies{fail: busy}
	s.isHeld, s.pause = false, time.Hour
	first := s.execute(t, b.pay(), s.task())[0]
	wait := endAs[*hapaxv1.SuspendTaskRequest](t, first).GetDuration().AsDuration()
	if wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("the task must be suspended for the pause (was %s)", wait)
	}
	// it is granted too early, such as after a signal
	again := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, b.pay(), s.task())[0])
	if left := again.GetDuration().AsDuration(); left > time.Hour || left < 59*time.Minute || len(b.keys) != 1 {
		t.Errorf("the rest of the pause must be waited for, without the body (was %s after %v)", left, b.keys)
	}
	s.open["pay"].DueAt = timestamppb.New(time.Now().Add(-time.Second))
	b.fail = nil
	s.completes(t, b.pay())
	if s.open["pay"].GetAttempts() != 0 || len(b.keys) != 2 {
		t.Errorf("the body must run again (was %v)", b.keys)
	}
}

// A due time is that of the server's clock, which a task tells by its lease.
func TestClockOfServer(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.open["pay"] = &hapaxv1.OpenPart{Name: "pay", State: retrying, Attempts: 1, DueAt: timestamppb.New(time.Now().Add(time.Hour))}
	task := s.task()
	task.Step.LeaseUntil = timestamppb.New(time.Now().Add(2*time.Hour + time.Minute))
	endAs[*hapaxv1.CompleteTaskRequest](t, s.execute(t, b.pay(), task)[0])
}

// The attempts of earlier executions count.
func TestAttemptsGoOn(t *testing.T) {
	s, b := newScene(), &bodies{fail: busy}
	s.open["pay"] = &hapaxv1.OpenPart{Name: "pay", State: retrying, Attempts: 2, DueAt: timestamppb.New(time.Now().Add(-time.Hour))}
	end := s.fails(t, b.pay(), final, "BUSY", "pay")
	isEqual(t, "the message", end.GetFailure().GetMessage(), "try again")
	isEqual(t, "the attempt", s.recorded()[0].GetFailure().GetAttempt(), 3)
	// a part that failed for good answers each later execution, and the handler may catch it
	caught := &PartFailed{}
	s.completes(t, func(ctx context.Context, t *Task) (any, error) {
		if _, err := b.pay()(ctx, t); !errors.As(err, &caught) || !errors.Is(err, FinalFailure) {
			return nil, err
		}
		return nil, nil
	})
	isEqual(t, "the error", *caught, PartFailed{Part: "pay", Code: "BUSY", Message: "try again", Attempts: 3})
	isEqual(t, "the bodies", len(b.keys), 1)
}

func TestFinalFailure(t *testing.T) {
	s, b := newScene(), &bodies{fail: func(int) error { return fmt.Errorf("bank: %w", Fail(FinalFailure, "CARD_DECLINED", "no money")) }}
	s.fails(t, b.pay(), final, "CARD_DECLINED", "pay")
	isEqual(t, "the kind", s.recorded()[0].GetFailure().GetKind(), final)
	isEqual(t, "the bodies", len(b.keys), 1)
}

// A panic of a body is a failure of its part, with the stack.
func TestPanic(t *testing.T) {
	s, b := newScene(), &bodies{fail: func(time int) error {
		if time == 1 {
			deep(1000)
		}
		return nil
	}}
	s.completes(t, b.pay())
	stack := s.recorded()[0].GetFailure().GetFailure().GetStack()
	if !strings.Contains(stack, "hapax.deep") || len(stack) > maxStack {
		t.Errorf("the stack must be there, cut to its limit (has %d bytes)", len(stack))
	}
}

func TestLimitsOfFailure(t *testing.T) {
	f := failure(&Panic{Value: strings.Repeat("a", 5000), Stack: strings.Repeat("é", 20_000) + "\x00"})
	isEqual(t, "the length of the message", len(f.GetMessage()), maxFailureMessage)
	isEqual(t, "the length of the stack", len(f.GetStack()), maxStack)
	isEqual(t, "a stack", failure(&Panic{Stack: "a\x00b\n\tc"}).GetStack(), "a b\n\tc")
}

func deep(times int) {
	if times == 0 {
		panic("no luck")
	}
	deep(times - 1)
}

func TestTimeout(t *testing.T) {
	s := newScene()
	s.fails(t, func(ctx context.Context, t *Task) (any, error) {
		return Record(ctx, t, "llm", func(ctx context.Context, _ string) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, Timeout(10*time.Millisecond))
	}, final, "PART_TIMEOUT", "llm")
	parts := s.recorded()
	isEqual(t, "the attempts", len(parts), 3)
	isEqual(t, "the kind", parts[0].GetFailure().GetKind(), retryable)
}

// A body whose context is cancelled has not failed.
func TestCancelledBody(t *testing.T) {
	s := newScene()
	s.fails(t, func(ctx context.Context, t *Task) (any, error) {
		ctx, stop := context.WithCancel(ctx)
		return Record(ctx, t, "pay", func(ctx context.Context, _ string) (any, error) {
			stop()
			return nil, ctx.Err()
		})
	}, retryable, "*errors.errorString", "")
	isEqual(t, "the reports", len(s.recorded()), 0)
}

// The beginning of a part that runs at most once is stored before its body runs.
func TestAtMostOnce(t *testing.T) {
	s, b := newScene(), &bodies{}
	b.fail = func(time int) error {
		isEqual(t, "the state in the body", s.open["pay"].GetState(), begun)
		if time == 1 {
			return Fail(RetryableFailure, "BUSY", "") // says that there was no effect
		}
		return nil
	}
	s.completes(t, b.pay(AtMostOnce()))
	var kinds []string
	for _, part := range s.recorded() {
		kinds = append(kinds, fmt.Sprintf("%T", part.GetResult()))
	}
	isEqual(t, "the reports", kinds, []string{
		"*hapaxv1.PartRecord_Begin", "*hapaxv1.PartRecord_Failure", "*hapaxv1.PartRecord_Begin", "*hapaxv1.PartRecord_Output",
	})
	isEqual(t, "the attempt", s.recorded()[1].GetFailure().GetAttempt(), 1)
}

// inDoubt is a scene in which another worker has begun a part, for the second time.
func inDoubt() *scene {
	s := newScene()
	s.open["pay"] = &hapaxv1.OpenPart{Name: "pay", State: begun, Attempts: 2}
	return s
}

// A part in doubt does not run, also if its code does not ask for that, or swallows the error.
func TestInDoubt(t *testing.T) {
	for _, options := range [][]PartOption{{AtMostOnce()}, {}} {
		s, b := inDoubt(), &bodies{}
		end := s.fails(t, func(ctx context.Context, t *Task) (any, error) {
			_, err := b.pay(options...)(ctx, t)
			if _, other := Record(ctx, t, "other", b.run); !errors.Is(err, UnknownEffect) || !errors.Is(other, UnknownEffect) {
				return nil, other
			}
			return "swallowed", nil
		}, unknown, "UNKNOWN_EFFECT", "pay")
		isEqual(t, "the bodies", len(b.keys), 0)
		isEqual(t, "the parts of the failure", len(end.GetParts()), 0)
	}
	// the answer to the beginning finds it out, too
	s, b := inDoubt(), &bodies{}
	task := s.task()
	task.OpenParts = nil
	end := endAs[*hapaxv1.FailTaskRequest](t, s.execute(t, b.pay(AtMostOnce()), task)[0])
	isEqual(t, "the kind", end.GetKind(), unknown)
	isEqual(t, "the bodies", len(b.keys), 0)
}

func TestVerify(t *testing.T) {
	s, b := inDoubt(), &bodies{}
	verify := func(value any, err error) PartOption {
		return AtMostOnce(func(_ context.Context, key string) (any, error) {
			isEqual(t, "the key", key, "step/pay")
			return value, err
		})
	}
	end := s.completes(t, b.pay(verify(7, nil)))
	isEqual(t, "the output", end.GetOutput().GetJson(), "7")
	isEqual(t, "the record", s.recorded()[0].GetOutput().GetJson(), "7")

	s = inDoubt()
	s.completes(t, b.pay(verify(nil, nil)))
	isEqual(t, "a value of nothing", s.recorded()[0].GetOutput().GetJson(), "null")
	isEqual(t, "the bodies", len(b.keys), 0)

	s = inDoubt()
	s.fails(t, b.pay(verify(nil, Fail(RetryableFailure, "BANK_CLOSED", ""))), retryable, "BANK_CLOSED", "pay")
	isEqual(t, "the reports", len(s.recorded()), 0)
	isEqual(t, "the state", s.open["pay"].GetState(), begun)
	isEqual(t, "the bodies", len(b.keys), 0)
}

// Without an effect the part begins again, as its next attempt.
func TestVerifyNotDone(t *testing.T) {
	s, b := inDoubt(), &bodies{}
	notDone := AtMostOnce(func(context.Context, string) (any, error) { return nil, fmt.Errorf("no receipt: %w", ErrNotDone) })
	s.completes(t, b.pay(notDone))
	if s.calls[0].GetParts()[1].GetBegin() == nil {
		t.Fatalf("the first call must have the failure and the beginning (was %v)", s.calls[0])
	}
	same(t, s.calls[0].GetParts()[0].GetFailure(), &hapaxv1.PartFailure{
		Attempt: 2, Failure: &hapaxv1.Failure{Code: "NOT_DONE", Message: "verify found no effect"},
	})
	isEqual(t, "the bodies", b.keys, []string{"step/pay"})

	s, b = inDoubt(), &bodies{}
	s.attempts = 2 // which are used up
	s.fails(t, b.pay(notDone), final, "NOT_DONE", "pay")
	isEqual(t, "the bodies", len(b.keys), 0)

	// the body fails after that
	s, b = inDoubt(), &bodies{fail: busy}
	s.fails(t, b.pay(notDone), final, "BUSY", "pay")
	isEqual(t, "the attempt", s.recorded()[2].GetFailure().GetAttempt(), 3)
}

// Of a body that returns UnknownEffect, or ends too late, the part stays begun.
func TestUnknownEffect(t *testing.T) {
	doubtful := func(int) error { return fmt.Errorf("bank: %w", Fail(UnknownEffect, "NO_ANSWER", "no answer")) }
	s, b := newScene(), &bodies{fail: doubtful}
	end := s.fails(t, b.pay(), unknown, "NO_ANSWER", "pay")
	if parts := end.GetParts(); len(parts) != 1 || parts[0].GetName() != "pay" || parts[0].GetBegin() == nil {
		t.Errorf("the failure must have the beginning (was %v)", end)
	}
	s, b = newScene(), &bodies{fail: doubtful}
	end = s.fails(t, b.pay(AtMostOnce()), unknown, "NO_ANSWER", "pay")
	isEqual(t, "the parts of a failure after the beginning", len(end.GetParts()), 0)

	s = newScene()
	s.fails(t, func(ctx context.Context, t *Task) (any, error) {
		return Record(ctx, t, "pay", func(ctx context.Context, _ string) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, AtMostOnce(), Timeout(10*time.Millisecond))
	}, retryable, "PART_TIMEOUT", "pay")
	isEqual(t, "the state", s.open["pay"].GetState(), begun)
	isEqual(t, "the reports", len(s.recorded()), 1)
}

// together is a handler with parts at the same time, whose bodies end in this order with these errors.
func together(errs ...error) Handler {
	return func(ctx context.Context, t *Task) (any, error) {
		var running sync.WaitGroup
		running.Add(len(errs))
		ends, ended := make([]chan bool, len(errs)), make(chan error)
		for i, err := range errs {
			ends[i] = make(chan bool)
			go func(i int, err error) {
				_, err = Record(ctx, t, fmt.Sprint("part-", i), func(context.Context, string) (any, error) {
					running.Done()
					<-ends[i]
					return nil, err
				})
				ended <- err
			}(i, err)
		}
		running.Wait()
		var last error
		for _, end := range ends {
			close(end)
			last = <-ended
		}
		return nil, last
	}
}

// Of several ends of an execution the strongest counts, and of several pauses the shortest.
func TestSeveralEnds(t *testing.T) {
	busyFor := func(pause time.Duration) error {
		return &Error{Kind: RetryableFailure, FailureCode: "BUSY", RetryAfter: pause}
	}
	for _, order := range [][]error{{busyFor(time.Minute), busyFor(time.Hour)}, {busyFor(time.Hour), busyFor(time.Minute)}} {
		s := newScene()
		s.isHeld = false
		suspended := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, together(order...), s.task())[0])
		if wait := suspended.GetDuration().AsDuration(); wait > time.Minute || wait < 50*time.Second {
			t.Errorf("the shortest pause counts (was %s)", wait)
		}
	}
	doubt := Fail(UnknownEffect, "NO_ANSWER", "")
	s := newScene()
	s.isHeld = false
	s.fails(t, together(busyFor(time.Hour), doubt), unknown, "NO_ANSWER", "part-1")
	s = newScene()
	s.isHeld = false
	s.fails(t, together(doubt, busyFor(time.Hour)), unknown, "NO_ANSWER", "part-0")
}

// What an operator settled meanwhile answers the report.
func TestSettledMeanwhile(t *testing.T) {
	s, b := newScene(), &bodies{}
	b.fail = func(int) error { s.with("pay", "8"); return nil }
	isEqual(t, "the output", s.completes(t, b.pay()).GetOutput().GetJson(), "8")
}

// A state or an outcome that a newer server sends is no success, and the body does not run again.
func TestNewerServer(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.open["pay"] = &hapaxv1.OpenPart{Name: "pay", State: 17}
	release := endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, b.pay(), s.task())[0])
	isEqual(t, "the delay", release.GetDelay().AsDuration(), 5*time.Second)
	isEqual(t, "the bodies", len(b.keys), 0)

	s = newScene()
	s.onRecord = func(*hapaxv1.RecordStepRequest) (proto.Message, error) {
		result := &hapaxv1.PartResult{}
		result.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
		parts := &hapaxv1.PartResults{Results: []*hapaxv1.PartResult{result}}
		return &hapaxv1.RecordStepResponse{Outcome: &hapaxv1.RecordStepResponse_Parts{Parts: parts}}, nil
	}
	end := s.fails(t, b.pay(), retryable, "UnknownAnswer", "")
	if !strings.Contains(end.GetFailure().GetMessage(), "upgrade") {
		t.Errorf("the message must say what to do (was %s)", end.GetFailure().GetMessage())
	}
	isEqual(t, "the bodies", len(b.keys), 1)

	s.onRecord = func(*hapaxv1.RecordStepRequest) (proto.Message, error) {
		return &hapaxv1.RecordStepResponse{Outcome: &hapaxv1.RecordStepResponse_Parts{Parts: &hapaxv1.PartResults{}}}, nil
	}
	s.fails(t, b.pay(), retryable, "UnknownAnswer", "")

	b = &bodies{}
	s.onRecord = func(*hapaxv1.RecordStepRequest) (proto.Message, error) {
		if len(s.calls) > 1 {
			return nil, nil
		}
		result := &hapaxv1.PartResult{Outcome: &hapaxv1.PartResult_Begun{Begun: &hapaxv1.PartBegun{}}}
		parts := &hapaxv1.PartResults{Results: []*hapaxv1.PartResult{result}}
		return &hapaxv1.RecordStepResponse{Outcome: &hapaxv1.RecordStepResponse_Parts{Parts: parts}}, nil
	}
	s.calls = nil
	s.fails(t, b.pay(), retryable, "UnknownAnswer", "")
	isEqual(t, "the bodies", len(b.keys), 1)
}

// A worker does not start with a server that lacks parts.
func TestServerWithoutParts(t *testing.T) {
	client, _ := handlers{
		"MonitoringService/GetServerInfo": always[hapaxv1.GetServerInfoRequest](infoOf(hapaxv1.ServerFeature_SERVER_FEATURE_HTTP)),
	}.client(t)
	worker := &Worker{Client: client, Queues: []string{"q"}}
	err := worker.Run(context.Background())
	if err == nil || err.Error() != "the server lacks parts (version 1.2.3): upgrade the server" {
		t.Errorf("the worker must say what to do (was %v)", err)
	}
}
