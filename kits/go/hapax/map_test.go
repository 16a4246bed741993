package hapax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// items is a handler that maps items, with a body for each of them.
func items(concurrency int, body func(ctx context.Context, item string) (string, error), list ...string) Handler {
	return func(ctx context.Context, t *Task) (any, error) {
		return Map(ctx, t, "item", list, MapOptions[string]{Concurrency: concurrency},
			func(ctx context.Context, t *Task, item string) (string, error) {
				return Record(ctx, t, "price", func(ctx context.Context, _ string) (string, error) { return body(ctx, item) })
			})
	}
}

func TestMap(t *testing.T) {
	s := newScene()
	var mutex sync.Mutex
	running, most := 0, 0
	count := func(by int) {
		mutex.Lock()
		defer mutex.Unlock()
		if running += by; running > most {
			most = running
		}
	}
	handler := items(3, func(_ context.Context, item string) (string, error) {
		count(1)
		defer count(-1)
		time.Sleep(5 * time.Millisecond)
		return "price of " + item, nil
	}, "a", "b", "c", "d", "e", "f", "g")
	end := s.completes(t, handler)
	expected := `["price of a","price of b","price of c","price of d","price of e","price of f","price of g"]`
	isEqual(t, "the output", end.GetOutput().GetJson(), expected)
	isEqual(t, "the branches at once", most, 3)
	if s.outputs["item/a/price"] == nil || s.outputs["item/a/price"].GetOverlapped() {
		t.Errorf("the parts must have scopes of their own (was %v)", s.outputs)
	}
	calls := len(s.calls)
	isEqual(t, "the output of the second execution", s.completes(t, handler).GetOutput().GetJson(), expected)
	isEqual(t, "its calls", len(s.calls), calls)
}

// In each branch the names are counted anew, also in a map of a map, and a second map has another name.
func TestScopes(t *testing.T) {
	s, b := newScene(), &bodies{}
	one := MapOptions[int]{Concurrency: 1, Key: func(item int) string { return fmt.Sprint("k", item) }}
	inner := func(ctx context.Context, t *Task, _ int) (any, error) { return b.sequence("x", "x")(ctx, t) }
	s.completes(t, func(ctx context.Context, t *Task) (any, error) {
		for i := 0; i < 2; i++ {
			if _, err := Map(ctx, t, "m", []int{1, 2}, one, func(ctx context.Context, t *Task, _ int) (any, error) {
				return Map(ctx, t, "n", []int{3}, one, inner)
			}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	isEqual(t, "the keys", b.keys, []string{
		"step/m/k1/n/k3/x", "step/m/k1/n/k3/x#2", "step/m/k2/n/k3/x", "step/m/k2/n/k3/x#2",
		"step/m#2/k1/n/k3/x", "step/m#2/k1/n/k3/x#2", "step/m#2/k2/n/k3/x", "step/m#2/k2/n/k3/x#2",
	})
}

func TestKeysOfMap(t *testing.T) {
	body := func(context.Context, string) (string, error) { t.Error("no body must run"); return "", nil }
	for _, list := range [][]string{{"a", "b", "a"}, {"a", ""}, {"a/b"}, {"a\nb"}} {
		newScene().fails(t, items(1, body, list...), final, "MAP_KEY_INVALID", "")
	}
}

// After a failure no branch begins, those that run end, and the first item that failed gives the error.
func TestFailureInMap(t *testing.T) {
	s := newScene()
	second := make(chan bool)
	handler := items(2, func(_ context.Context, item string) (string, error) {
		switch item {
		case "a":
			<-second
			time.Sleep(20 * time.Millisecond)
			return "", Fail(FinalFailure, "A", "")
		case "b":
			defer close(second)
			return "", Fail(FinalFailure, "B", "")
		}
		t.Errorf("%s must not begin", item)
		return "", nil
	}, "a", "b", "c", "d")
	s.fails(t, handler, final, "A", "item/a/price")
	isEqual(t, "the records of failures", len(s.open), 2)
}

func TestMapSettled(t *testing.T) {
	s := newScene()
	s.attempts = 1
	var settled []Outcome[string]
	s.completes(t, func(ctx context.Context, t *Task) (_ any, err error) {
		settled, err = MapSettled(ctx, t, "item", []string{"a", "b", "c"}, MapOptions[string]{},
			func(ctx context.Context, t *Task, item string) (string, error) {
				if item == "c" {
					panic("no luck")
				}
				return Record(ctx, t, "price", func(context.Context, string) (string, error) {
					if item == "a" {
						return "", Fail(RetryableFailure, "A", "")
					}
					return item, nil
				})
			})
		return nil, err
	})
	var failed *PartFailed
	var panicked *Panic
	if !errors.As(settled[0].Err, &failed) || failed.Part != "item/a/price" || !errors.As(settled[2].Err, &panicked) {
		t.Errorf("the errors must be those of the branches (was %v)", settled)
	}
	isEqual(t, "the value", settled[1].Value, "b")

	// the end of the whole execution is no outcome of a branch
	s = newScene()
	s.open["item/a/price"] = &hapaxv1.OpenPart{Name: "item/a/price", State: begun}
	var err error
	s.fails(t, func(ctx context.Context, t *Task) (any, error) {
		_, err = MapSettled(ctx, t, "item", []string{"a"}, MapOptions[string]{},
			func(ctx context.Context, t *Task, _ string) (any, error) {
				return Record(ctx, t, "price", (&bodies{}).run)
			})
		return nil, err
	}, unknown, "UNKNOWN_EFFECT", "item/a/price")
	isKind(t, err, UnknownEffect)
}

// A branch that pauses lets the others end, which go on in the meantime, and the shortest pause counts.
func TestPauseInMap(t *testing.T) {
	s := newScene()
	s.isHeld, s.pause = false, time.Hour
	paused, b := make(chan bool), &bodies{}
	handler := func(ctx context.Context, t *Task) (any, error) {
		return Map(ctx, t, "item", []string{"a", "b", "c"}, MapOptions[string]{Concurrency: 2},
			func(ctx context.Context, t *Task, item string) (any, error) {
				if item == "a" {
					_, err := Record(ctx, t, "price", func(context.Context, string) (any, error) { return nil, Fail(RetryableFailure, "BUSY", "") })
					_, other := Record(ctx, t, "other", b.run)
					close(paused)
					if !errors.Is(err, ErrSuspended) || !errors.Is(other, ErrSuspended) {
						return nil, fmt.Errorf("the branch must be paused (was %v, %v)", err, other)
					}
					return "swallowed", nil
				}
				<-paused
				return b.sequence("one", "two")(ctx, t)
			})
	}
	suspended := endAs[*hapaxv1.SuspendTaskRequest](t, s.execute(t, handler, s.task())[0])
	if wait := suspended.GetDuration().AsDuration(); wait > time.Hour || wait < 59*time.Minute {
		t.Errorf("the task must be suspended for the pause (was %s)", wait)
	}
	isEqual(t, "the keys", b.keys, []string{"step/item/b/one", "step/item/b/two"})
}

func TestWaitInBranch(t *testing.T) {
	for _, wait := range []func(ctx context.Context, t *Task) error{
		func(ctx context.Context, t *Task) error { return t.Suspend(ctx, "pause", time.Hour) },
		func(ctx context.Context, t *Task) error {
			_, _, err := AwaitSignal[any](ctx, t, Wait{Name: "approval"})
			return err
		},
	} {
		wait := wait
		end := newScene().fails(t, func(ctx context.Context, t *Task) (any, error) {
			return Map(ctx, t, "item", []int{1}, MapOptions[int]{}, func(ctx context.Context, t *Task, _ int) (any, error) { return nil, wait(ctx, t) })
		}, final, "WAIT_IN_BRANCH", "")
		if !strings.Contains(end.GetFailure().GetMessage(), "item/1/") {
			t.Errorf("the message must name the wait (was %s)", end.GetFailure().GetMessage())
		}
	}
}

// In a branch the code is compared with the records of that branch.
func TestCodeChangeInBranch(t *testing.T) {
	s := newScene()
	s.with("item/a/cost", "1")
	body := func(context.Context, string) (string, error) { return "", nil }
	release := endAs[*hapaxv1.ReleaseTaskRequest](t, s.execute(t, items(1, body, "a", "b"), s.task())[0])
	isEqual(t, "the reason", release.GetReason().GetMessage(), "records `item/a/cost` is not asked for before `item/a/price`")
	s.completes(t, items(1, body, "b"))
}

// Results that arrive while a call is under way go together in the next one.
func TestBatches(t *testing.T) {
	const parts = 250
	s := newScene()
	var list []string
	for i := 0; i < parts; i++ {
		list = append(list, fmt.Sprint("i", i))
	}
	var bodies sync.WaitGroup
	bodies.Add(parts)
	s.onRecord = func(request *hapaxv1.RecordStepRequest) (proto.Message, error) {
		bodies.Wait()
		time.Sleep(200 * time.Millisecond) // so that all reports wait
		return nil, nil
	}
	end := s.completes(t, items(parts, func(context.Context, string) (string, error) { bodies.Done(); return "ok", nil }, list...))
	isEqual(t, "the values", strings.Count(end.GetOutput().GetJson(), "ok"), parts)
	isEqual(t, "the records", len(s.order), parts)
	if len(s.calls) > 5 {
		t.Errorf("there must be at most 5 calls (was %d)", len(s.calls))
	}
	for _, call := range s.calls {
		if len(call.GetParts()) > maxReported {
			t.Errorf("a call must have at most %d parts (was %d)", maxReported, len(call.GetParts()))
		}
	}
}

// A call has at most so many bytes, with the change of the state.
func TestLargeBatches(t *testing.T) {
	s := newScene()
	var bodies sync.WaitGroup
	bodies.Add(8)
	var once sync.Once
	called := make(chan bool)
	s.onRecord = func(request *hapaxv1.RecordStepRequest) (proto.Message, error) {
		once.Do(func() { close(called) })
		bodies.Wait()
		time.Sleep(200 * time.Millisecond)
		if size := proto.Size(request); size > maxReportedBytes {
			t.Errorf("a call must have at most %d bytes (was %d)", maxReportedBytes, size)
		}
		return nil, nil
	}
	s.completes(t, func(ctx context.Context, t *Task) (any, error) {
		_, err := items(8, func(_ context.Context, item string) (string, error) {
			defer bodies.Done()
			if item == "8" {
				<-called // so that the change goes with a later call
				t.PatchState("large", strings.Repeat("b", 200_000))
			}
			return strings.Repeat("a", 200_000), nil
		}, "1", "2", "3", "4", "5", "6", "7", "8")(ctx, t)
		return nil, err
	})
	isEqual(t, "the records", len(s.order), 8)
}

// One part that is refused fails alone.
func TestRefusedPart(t *testing.T) {
	s := newScene()
	var bodies sync.WaitGroup
	bodies.Add(4)
	s.onRecord = func(request *hapaxv1.RecordStepRequest) (proto.Message, error) {
		bodies.Wait()
		time.Sleep(200 * time.Millisecond)
		for _, part := range request.GetParts() {
			if part.GetName() == "item/c/price" {
				return nil, status.Error(codes.InvalidArgument, "no")
			}
		}
		return nil, nil
	}
	end := s.fails(t, items(4, func(context.Context, string) (string, error) { bodies.Done(); return "", nil }, "a", "b", "c", "d"), final, "FinalFailure", "")
	if !strings.Contains(end.GetFailure().GetMessage(), "item/c/price was not recorded") {
		t.Errorf("the failure must name the part (was %v)", end.GetFailure())
	}
	isEqual(t, "the records", len(s.order), 3)
}
