package hapax

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

const defaultBranches = 10

// MapOptions are the options of Map.
type MapOptions[I any] struct {
	Key         func(item I) string // names the branch of an item, and is unique; nil = the item as fmt.Sprint prints it
	Concurrency int                 // how many branches at once; 0 = 10
}

// Outcome is the end of one branch.
type Outcome[V any] struct {
	Value V
	Err   error
}

// Map does the work for each item, several at once, and returns the values in the order of the items. Each branch has a
// task of its own, with names of its own: record its parts with that one. After a failure no further branch begins. Map
// returns the first failure, in the order of the items, after the branches have ended. A branch must not wait for a time or
// a signal.
func Map[I, V any](ctx context.Context, t *Task, name string, items []I, options MapOptions[I],
	work func(ctx context.Context, t *Task, item I) (V, error)) ([]V, error) {
	outcomes, err := eachOf(ctx, t, name, items, options, work, false)
	if err != nil {
		return nil, err
	}
	values := make([]V, len(outcomes))
	for i, outcome := range outcomes {
		values[i] = outcome.Value
	}
	return values, nil
}

// MapSettled is as Map, and returns the value or the error of each item. Its own error is of the whole execution: return it
// from the handler.
func MapSettled[I, V any](ctx context.Context, t *Task, name string, items []I, options MapOptions[I],
	work func(ctx context.Context, t *Task, item I) (V, error)) ([]Outcome[V], error) {
	return eachOf(ctx, t, name, items, options, work, true)
}

func eachOf[I, V any](ctx context.Context, t *Task, name string, items []I, options MapOptions[I],
	work func(ctx context.Context, t *Task, item I) (V, error), isSettled bool) ([]Outcome[V], error) {
	if err := t.beginPart(); err != nil {
		return nil, err
	}
	defer t.endPart()
	u, err := t.use(name)
	if err != nil {
		return nil, err
	}
	if err := t.depart(u); err != nil {
		return nil, err
	}
	defer t.arrive(u)
	keys, err := keysOf(u.name, items, options.Key)
	if err != nil {
		return nil, err
	}
	if options.Concurrency <= 0 {
		options.Concurrency = defaultBranches
	}
	b := &branches{parent: t, isSettled: isSettled, slots: make(chan struct{}, options.Concurrency)}
	outcomes := make([]Outcome[V], len(items))
	for i, item := range items {
		if !b.start() {
			break
		}
		go func(i int, item I) {
			branch := *t
			branch.scope = newScope(u.name + "/" + keys[i] + "/")
			_, err := t.client.guarded(ctx, t.Claim, func(ctx context.Context, _ *Claim) (_ any, err error) {
				outcomes[i].Value, err = work(ctx, &branch, item)
				return nil, err
			})
			outcomes[i].Err = err
			b.ended(i, branch.scope, err)
		}(i, item)
	}
	return outcomes, b.wait()
}

// branches are the branches of one Map.
type branches struct {
	parent    *Task
	isSettled bool
	slots     chan struct{}
	running   sync.WaitGroup
	mutex     sync.Mutex
	isStopped bool // no further branch begins
	failed    int  // the first item that failed
	err       error
	pausedTo  time.Time // the earliest end of a pause; zero = no branch is paused
}

// start waits until a branch may begin, false if no further one does.
func (b *branches) start() bool {
	b.slots <- struct{}{}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.isStopped {
		return false
	}
	b.running.Add(1)
	return true
}

func (b *branches) ended(item int, s *scope, err error) {
	claim, e := b.parent.Claim, b.parent.execution
	claim.mutex.Lock()
	pausedTo, isOver := s.pausedTo, e.ending != nil || claim.isRevoked
	claim.mutex.Unlock()
	b.mutex.Lock()
	switch {
	case !pausedTo.IsZero():
		b.isStopped = true
		if b.pausedTo.IsZero() || pausedTo.Before(b.pausedTo) {
			b.pausedTo = pausedTo
		}
	case err != nil && !b.isSettled:
		b.isStopped = true
		if b.err == nil || item < b.failed {
			b.failed, b.err = item, err
		}
	}
	b.isStopped = b.isStopped || isOver
	b.mutex.Unlock()
	<-b.slots
	b.running.Done()
}

// wait returns the error of the whole, after the branches have ended.
func (b *branches) wait() error {
	b.running.Wait()
	t := b.parent
	t.Claim.mutex.Lock()
	ending := t.execution.ending
	t.Claim.mutex.Unlock()
	switch {
	case ending != nil:
		return ending.err
	case t.Claim.revoked() != nil:
		return t.Claim.revoked()
	case b.err != nil:
		return b.err
	case !b.pausedTo.IsZero():
		return t.pause(b.pausedTo, nil)
	}
	return nil
}

func keysOf[I any](name string, items []I, key func(I) string) ([]string, error) {
	keys, isUsed := make([]string, len(items)), map[string]bool{}
	for i, item := range items {
		if key == nil {
			keys[i] = fmt.Sprint(item)
		} else {
			keys[i] = key(item)
		}
		if keys[i] == "" || strings.Contains(keys[i], "/") || isUsed[keys[i]] {
			text := fmt.Sprintf("the keys of %s must not be empty, have a / or occur twice (was %q)", name, keys[i])
			return nil, Fail(FinalFailure, "MAP_KEY_INVALID", text)
		}
		if err := CheckName("a key of "+name, keys[i]); err != nil {
			return nil, Fail(FinalFailure, "MAP_KEY_INVALID", err.Error())
		}
		isUsed[keys[i]] = true
	}
	return keys, nil
}
