package hapax

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// sequence is a handler that records parts of these names, one after the other.
func (b *bodies) sequence(names ...string) Handler {
	return func(ctx context.Context, t *Task) (any, error) {
		for _, name := range names {
			if _, err := Record(ctx, t, name, b.run); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
}

func TestRepeatedNames(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.completes(t, b.sequence("fetch", "parse", "fetch", "fetch"))
	isEqual(t, "the keys", b.keys, []string{"step/fetch", "step/parse", "step/fetch#2", "step/fetch#3"})
	s.completes(t, b.sequence("fetch", "parse", "fetch", "fetch"))
	isEqual(t, "the bodies", len(b.keys), 4)
	isEqual(t, "the calls of the second execution", len(s.calls), 4)
}

func TestInvalidNames(t *testing.T) {
	for _, name := range []string{"", "a/b", "a#2", "#1", "a\x00b", "a\nb", strings.Repeat("é", 256)} {
		b := &bodies{}
		newScene().fails(t, b.sequence(name), final, "STEP_NAME_INVALID", "")
		isEqual(t, "the bodies", len(b.keys), 0)
	}
	long := strings.Repeat("é", 255)
	newScene().fails(t, (&bodies{}).sequence(long, long), final, "STEP_NAME_INVALID", "")
	newScene().completes(t, (&bodies{}).sequence("a#", "#", "2", "a#b", long))
	newScene().fails(t, func(ctx context.Context, t *Task) (any, error) {
		_, err := t.Patched(ctx, "a/b")
		return nil, err
	}, final, "STEP_NAME_INVALID", "")
}

// beside runs a handler while the body of another part runs, and has that part recorded before the handler ends.
func beside(name string, handler Handler) Handler {
	return func(ctx context.Context, t *Task) (any, error) {
		runs, end, ended := make(chan bool), make(chan bool), make(chan error, 1)
		go func() {
			_, err := Record(ctx, t, name, func(context.Context, string) (any, error) {
				close(runs)
				<-end
				return nil, nil
			})
			ended <- err
		}()
		<-runs
		output, err := handler(ctx, t)
		close(end)
		if other := <-ended; err == nil {
			err = other
		}
		return output, err
	}
}

// A repeated name that overlaps another part could be another one in the next execution.
func TestAmbiguousNames(t *testing.T) {
	b := &bodies{}
	newScene().fails(t, beside("fetch", b.sequence("fetch")), final, "STEP_NAME_AMBIGUOUS", "")
	isEqual(t, "the bodies", len(b.keys), 0)
	newScene().fails(t, beside("slow", b.sequence("fetch", "fetch")), final, "STEP_NAME_AMBIGUOUS", "")
	isEqual(t, "the bodies", len(b.keys), 1)
	// the former use overlapped
	newScene().fails(t, func(ctx context.Context, t *Task) (any, error) {
		if _, err := beside("slow", b.sequence("fetch"))(ctx, t); err != nil {
			return nil, err
		}
		return b.sequence("fetch")(ctx, t)
	}, final, "STEP_NAME_AMBIGUOUS", "")
	// another part begins while the second use runs: the next execution would refuse the record
	newScene().fails(t, func(ctx context.Context, t *Task) (any, error) {
		if _, err := b.sequence("fetch")(ctx, t); err != nil {
			return nil, err
		}
		return beside("fetch", b.sequence("other"))(ctx, t)
	}, final, "STEP_NAME_AMBIGUOUS", "")
	// as the records say
	s := newScene()
	s.with("fetch", "1").Overlapped = true
	s.with("fetch#2", "2")
	s.fails(t, b.sequence("fetch", "fetch"), final, "STEP_NAME_AMBIGUOUS", "")
	s = newScene()
	s.with("fetch", "1")
	s.with("fetch#2", "2").Overlapped = true
	s.fails(t, b.sequence("fetch", "fetch"), final, "STEP_NAME_AMBIGUOUS", "")
}

func TestOverlap(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.completes(t, func(ctx context.Context, t *Task) (any, error) {
		if _, err := beside("slow", b.sequence("inside"))(ctx, t); err != nil {
			return nil, err
		}
		return b.sequence("after")(ctx, t)
	})
	for name, overlapped := range map[string]bool{"slow": true, "inside": true, "after": false} {
		isEqual(t, "the overlap of "+name, s.outputs[name].GetOverlapped(), overlapped)
	}
}

// Records that do not fit into the task are read once, when a name is missing.
func TestPagesOfRecords(t *testing.T) {
	s, b := newScene(), &bodies{}
	var names []string
	for i := 0; i < 10; i++ {
		names = append(names, fmt.Sprintf("part-%d", i))
		s.with(names[i], "0")
	}
	s.completes(t, b.sequence(names...))
	isEqual(t, "the pages when all records come with the task", s.pages, 0)
	s.perGrant = 4
	s.completes(t, b.sequence(names[:3]...))
	isEqual(t, "the pages when no name is missing", s.pages, 0)
	s.completes(t, b.sequence(append(names[:10:10], "new-1", "new-2")...))
	isEqual(t, "the pages", s.pages, 2)
	isEqual(t, "the bodies", b.keys, []string{"step/new-1", "step/new-2"})
	isEqual(t, "the calls", len(s.calls), 2)
}

// A page may answer that the claim is lost.
func TestPageOfLostClaim(t *testing.T) {
	server := handlers{"WorkerService/ListRecords": always[hapaxv1.ListRecordsRequest](&hapaxv1.ListRecordsResponse{ClaimLost: lostWith(nil)})}
	client, _ := server.client(t)
	k := newKeeper(client, "", nil)
	ctx, claim := k.hold(context.Background(), &hapaxv1.Claim{Id: "claim"}, heldTask("", time.Minute).GetLeaseRemaining(), answer{sentAt: time.Now()}, 0)
	message := &hapaxv1.Task{MoreRecordedToken: "next"}
	task := newTask(client, message, newExecution(client, message, claim, ctx))
	b := &bodies{}
	_, err := Record(ctx, task, "pay", b.run)
	isKind(t, err, ClaimLost)
	isEqual(t, "the bodies", len(b.keys), 0)
	if ctx.Err() == nil {
		t.Error("the work must be told")
	}
}

// A part that became a wait, or the reverse, is found.
func TestWaitIsNoPart(t *testing.T) {
	s := newScene()
	s.with("pay", "1")
	s.fails(t, func(ctx context.Context, t *Task) (any, error) {
		_, _, err := AwaitSignal[any](ctx, t, Wait{Name: "pay"})
		return nil, err
	}, final, "STEP_CHANGED", "")
	s.fails(t, func(ctx context.Context, t *Task) (any, error) { return nil, t.Suspend(ctx, "pay", time.Hour) }, final, "STEP_CHANGED", "")
	s.outputs["pay"].IsWait = true
	s.fails(t, (&bodies{}).pay(), final, "STEP_CHANGED", "")
}

// Code that does not ask for a record does not fit, and finds it out before it runs anything new.
func TestCodeChange(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.with("first", "1")
	s.with("pay", "1")
	tasks := []*hapaxv1.Task{s.task(), s.task(), s.task()}
	tasks[2].Run.Id, tasks[2].Step.Id = "other", "other"
	ends := s.execute(t, func(ctx context.Context, t *Task) (any, error) {
		_, _ = b.sequence("first", "charge")(ctx, t)
		return "swallowed", nil
	}, tasks...)
	for i, delay := range []time.Duration{5 * time.Second, 10 * time.Second, 5 * time.Second} {
		release := endAs[*hapaxv1.ReleaseTaskRequest](t, ends[i])
		isEqual(t, "the delay", release.GetDelay().AsDuration(), delay)
		same(t, release.GetReason(), &hapaxv1.Failure{Code: "CODE_CHANGED", Message: "records `pay` is not asked for before `charge`"})
	}
	other := endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, b.sequence("pay", "charge"), s.task())[0])
	isEqual(t, "the message", other.GetReason().GetMessage(), "records `first` is not asked for before `charge`")
	s.onCodeChange = FailOnCodeChange
	end := s.fails(t, b.sequence("first", "charge"), final, "STEP_CHANGED", "")
	isEqual(t, "the message", end.GetFailure().GetMessage(), "records `pay` is not asked for before `charge`")
	isEqual(t, "the bodies", len(b.keys), 0)
	s.onCodeChange = WarnOnCodeChange
	s.completes(t, b.sequence("first", "charge", "more"))
	isEqual(t, "the bodies", len(b.keys), 2)
	isEqual(t, "the warnings", len(s.lines.with("before `charge`"))+len(s.lines.with("before `more`")), 1)
}

// A wait begins only if the code fits, too; the deadline of a wait belongs to it.
func TestCodeChangeBeforeWait(t *testing.T) {
	s := newScene()
	s.with("pay", "1")
	suspend := func(ctx context.Context, t *Task) (any, error) { return nil, t.Suspend(ctx, "pause", time.Hour) }
	endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, suspend, s.task())[0])
	await := func(ctx context.Context, t *Task) (any, error) {
		_, _, err := AwaitSignal[any](ctx, t, Wait{Name: "approval", Timeout: time.Hour})
		return nil, err
	}
	endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, await, s.task())[0])
	isEqual(t, "the calls", len(s.calls), 0)

	s = newScene()
	endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, await, s.task())[0])
	if deadline := s.outputs["approval.deadline"]; deadline == nil || !deadline.GetIsWait() {
		t.Fatalf("the deadline must be recorded as a wait (was %v)", s.outputs)
	}
	task := s.task()
	task.Signals = []*hapaxv1.Signal{{SignalId: "s", Type: "approval", Payload: jsonPayload("7")}}
	b := &bodies{}
	endAs[*hapaxv1.CompleteTaskRequest](t, s.execute(t, func(ctx context.Context, t *Task) (any, error) {
		if _, err := await(ctx, t); err != nil {
			return nil, err
		}
		return b.pay()(ctx, t)
	}, task)[0])
	isEqual(t, "the consumed signals", s.recorded()[1].GetConsumedSignalIds(), []string{"s"})
}

// What fits: new parts at the end, another order, parts beside others, and what was removed at the end.
func TestCodeThatFits(t *testing.T) {
	for _, names := range [][]string{{"a", "b", "c"}, {"b", "a", "c"}, {"a", "b"}, {"a"}} {
		s := newScene()
		s.with("a", "1")
		s.with("b", "1")
		s.completes(t, (&bodies{}).sequence(names...))
		isEqual(t, "the lines about what is left", len(s.lines.with("without asking for records `b`")), 1-least2(len(names)-1, 1))
	}
	s := newScene()
	s.with("beside", "1").Overlapped = true
	s.with("item/1/price", "1")
	s.completes(t, (&bodies{}).sequence("new"))
	// an attempt that failed is not new
	s = newScene()
	s.with("after", "1")
	s.open["pay"] = &hapaxv1.OpenPart{Name: "pay", State: retrying}
	s.completes(t, (&bodies{}).sequence("pay", "after"))
}

func least2(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func TestManyRecordsLeft(t *testing.T) {
	s := newScene()
	for i := 0; i < 12; i++ {
		s.with(fmt.Sprintf("p%d", i), "1")
	}
	release := endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, (&bodies{}).sequence("p0", "new"), s.task())[0])
	isEqual(t, "the message", release.GetReason().GetMessage(),
		"records `p1`, `p2`, `p3`, `p4`, `p5`, `p6`, `p7`, `p8`, `p9`, `p10` … are not asked for before `new`")
}

// Older runs go without changed code, new ones with it, and each keeps its answer.
func TestPatched(t *testing.T) {
	var answers []bool
	b := &bodies{}
	handler := func(names ...string) Handler {
		return func(ctx context.Context, t *Task) (any, error) {
			for i := 0; i < 2; i++ {
				isPatched, err := t.Patched(ctx, "check")
				if err != nil {
					return nil, err
				}
				answers = append(answers, isPatched)
				if _, err := b.sequence(names[i])(ctx, t); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}
	}
	s := newScene()
	s.completes(t, handler("pay", "ship"))
	record := s.recorded()[0]
	same(t, record, &hapaxv1.PartRecord{Name: "patched/check", Result: &hapaxv1.PartRecord_Output{Output: jsonPayload("true")}, Overlapped: true})
	isEqual(t, "the calls", len(s.calls), 3)
	s.completes(t, handler("pay", "ship"))
	isEqual(t, "the answers of a new run", answers, []bool{true, true, true, true})
	isEqual(t, "the calls of the second execution", len(s.calls), 3)

	answers, s = nil, newScene()
	s.with("pay", "1")
	s.completes(t, handler("pay", "ship"))
	s.completes(t, handler("pay", "ship"))
	isEqual(t, "the answers of an older run", answers, []bool{false, false, false, false})
	isEqual(t, "the records", s.order, []string{"pay", "ship"})
}

// The state goes with the next record, and with the end.
func TestPatchState(t *testing.T) {
	s, b := newScene(), &bodies{}
	handler := func(ctx context.Context, t *Task) (any, error) {
		t.PatchState("at", "pay")
		t.PatchState("count", 1)
		t.PatchState("count", 2)
		if _, err := b.sequence("pay", "more")(ctx, t); err != nil {
			return nil, err
		}
		t.PatchState("at", nil)
		return nil, nil
	}
	end := s.completes(t, handler)
	isEqual(t, "the patch of the record", s.calls[0].GetStatePatch().GetJson(), `{"at":"pay","count":2}`)
	isEqual(t, "the patch of the second record", s.calls[1].GetStatePatch().GetJson(), "")
	isEqual(t, "the patch of the end", end.GetStatePatch().GetJson(), `{"at":null}`)

	// without a place it stays for the end, such as beside a failure
	s, b = newScene(), &bodies{fail: busy}
	s.isHeld, s.pause = false, time.Hour
	suspended := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, handler, s.task())[0])
	isEqual(t, "the patch of the failure", s.calls[0].GetStatePatch().GetJson(), "")
	isEqual(t, "the patch of the suspension", suspended.GetStatePatch().GetJson(), `{"at":"pay","count":2}`)

	unfit := func(ctx context.Context, t *Task) (any, error) {
		t.PatchState("at", func() {})
		return b.pay()(ctx, t)
	}
	b.fail = nil
	newScene().fails(t, unfit, final, "RESULT_REFUSED", "")
}

// SetState is durable when it returns, and later executions do not repeat it.
func TestSetState(t *testing.T) {
	s := newScene()
	handler := func(ctx context.Context, t *Task) (any, error) {
		t.PatchState("at", "old")
		t.PatchState("other", 1)
		if err := t.SetState(ctx, map[string]any{"at": "first"}); err != nil {
			return nil, err
		}
		return nil, t.SetState(ctx, map[string]any{"at": "second"})
	}
	end := s.completes(t, handler)
	isEqual(t, "the first patch", s.calls[0].GetStatePatch().GetJson(), `{"at":"first","other":1}`)
	isEqual(t, "the second patch", s.calls[1].GetStatePatch().GetJson(), `{"at":"second"}`)
	isEqual(t, "the records", s.order, []string{"state", "state#2"})
	isEqual(t, "the output", s.outputs["state"].GetOutput().GetJson(), "null")
	isEqual(t, "the patch of the end", end.GetStatePatch().GetJson(), "")
	end = s.completes(t, handler)
	isEqual(t, "the calls of the second execution", len(s.calls), 2)
	isEqual(t, "the patch of its end", end.GetStatePatch().GetJson(), `{"other":1}`)
}

// A wait ends at its own time, also if another part ends the execution before.
func TestWaitBesidePause(t *testing.T) {
	s := newScene()
	s.isHeld, s.pause = false, time.Minute
	handler := func(ctx context.Context, t *Task) (any, error) {
		fails, ended := make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			_, _ = Record(ctx, t, "busy", func(context.Context, string) (any, error) {
				close(fails)
				for t.beginPart() == nil { // until the wait has begun
					t.endPart()
					time.Sleep(time.Millisecond)
				}
				return nil, Fail(RetryableFailure, "BUSY", "")
			})
		}()
		<-fails
		err := t.Suspend(ctx, "days", 48*time.Hour)
		<-ended
		return nil, err
	}
	suspended := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, handler, s.task())[0])
	if wait := suspended.GetDuration().AsDuration(); wait > time.Minute || wait < 50*time.Second {
		t.Errorf("the shortest time counts (was %s)", wait)
	}
	if record := s.outputs["days"]; !record.GetOverlapped() || !record.GetIsWait() {
		t.Errorf("the wait must be recorded as one that overlapped (was %v)", record)
	}
	alone := func(ctx context.Context, t *Task) (any, error) { return nil, t.Suspend(ctx, "days", 48*time.Hour) }
	again := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, alone, s.task())[0])
	if wait := again.GetDuration().AsDuration(); wait < 47*time.Hour {
		t.Errorf("the wait must go on (was %s)", wait)
	}
	// alone, its end is measured by Hapax
	s = newScene()
	endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, alone, s.task())[0])
	s.completes(t, alone)
}

// However short, and however long its record takes, a wait is one of Hapax. After it, further parts run.
func TestShortWait(t *testing.T) {
	s, b := newScene(), &bodies{}
	s.onRecord = func(*hapaxv1.RecordStepRequest) (proto.Message, error) {
		time.Sleep(2 * time.Millisecond)
		return nil, nil
	}
	work := func(ctx context.Context, t *Task) (any, error) {
		if err := t.Suspend(ctx, "moment", time.Millisecond); err != nil {
			return nil, err
		}
		return b.pay()(ctx, t)
	}
	endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, work, s.task())[0])
	s.completes(t, work)
}
