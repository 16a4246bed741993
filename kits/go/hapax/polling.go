package hapax

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
)

// poll is one request for work.
type poll struct {
	attempt string
	room    int32
	wait    *durationpb.Duration
	budget  budget
}

// poll polls while there is room, and does each item on a goroutine of its own. When the context ends it polls no more, and
// returns after all items.
func (c *Client) poll(ctx context.Context, name string, concurrency int, fetch func(ctx context.Context, p poll) ([]func(), error)) {
	if concurrency <= 0 {
		concurrency = 10
	}
	slots := make(chan struct{}, concurrency)
	var items sync.WaitGroup
	defer items.Wait()
	for rejections := 0; ; {
		room := takeRoom(ctx, slots)
		if room == 0 {
			return
		}
		began := time.Now()
		next := poll{newID(), int32(room), durationpb.New(pollWait), budget{wait: pollWait, giveUp: forever}}
		found, err := fetch(ctx, next)
		if err != nil && ctx.Err() != nil {
			// the answer to the cancelled poll may have been on the way
			next.wait, next.budget = durationpb.New(0), budget{giveUp: tryTimeout}
			if found, err = fetch(detached{ctx}, next); err != nil {
				c.logf("hapax: the last %s failed; its items are handed out again when their leases expire: %v", name, err)
			}
		}
		for _, item := range found {
			items.Add(1)
			go func(do func()) {
				defer func() { <-slots; items.Done() }()
				do()
			}(item)
		}
		for i := len(found); i < room; i++ {
			<-slots
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.rejected(ctx, name, rejections, err)
			rejections++
		default:
			rejections = 0
			if len(found) == 0 && time.Since(began) < pollWait/2 {
				sleep(ctx, 100*time.Millisecond)
			}
		}
	}
}

// rejected waits before a call is sent again that was rejected so many times before.
func (c *Client) rejected(ctx context.Context, name string, rejections int, err error) {
	if ctx.Err() != nil {
		return
	}
	pause := 30 * time.Second
	if rejections == 0 {
		c.logf("hapax: %s was rejected, will retry every 5 to 30 s until it is accepted: %v", name, err)
	}
	if rejections < 3 {
		pause = least(5*time.Second<<rejections, pause)
	}
	sleep(ctx, pause)
}

// takeRoom waits for a free slot, and takes all that are free; 0 means that the context has ended.
func takeRoom(ctx context.Context, slots chan struct{}) int {
	select {
	case <-ctx.Done():
		return 0
	case slots <- struct{}{}:
	}
	if ctx.Err() != nil {
		<-slots
		return 0
	}
	room := 1
	for ; room < maxClaims && len(slots) < cap(slots); room++ {
		slots <- struct{}{} // does not block: only this goroutine takes slots
	}
	return room
}
