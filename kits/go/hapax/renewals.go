package hapax

import (
	"context"
	"errors"
	"math"
	"sort"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

const (
	maxClaims        = 500
	maxDetailsOfCall = 524_288
)

// keeper renews claims at a third of their lease, in one call for all that are due. A call that hangs keeps no others waiting.
type keeper struct {
	client   *Client
	function string // completes a claim in SQL
	send     sendRenewals
	mutex    sync.Mutex
	claims   map[*Claim]bool
	changed  chan struct{}
}

// sendRenewals renews claims. The details are none, or one for each claim.
type sendRenewals func(ctx context.Context, claims []*hapaxv1.Claim, details []*hapaxv1.Payload, timeout time.Duration) ([]renewal, *Error)

func newKeeper(client *Client, function string, send sendRenewals) *keeper {
	return &keeper{client: client, function: function, send: send, claims: map[*Claim]bool{}, changed: make(chan struct{}, 1)}
}

// hold returns the claim of a grant, and a context that ends when it is lost.
func (k *keeper) hold(ctx context.Context, claim *hapaxv1.Claim, remaining *durationpb.Duration, granted answer, atMost time.Duration) (context.Context, *Claim) {
	return k.holdAttempt(ctx, claim, remaining, nil, granted, atMost)
}

// holdAttempt is hold, for an attempt that may have an end.
func (k *keeper) holdAttempt(ctx context.Context, claim *hapaxv1.Claim, remaining, attempt *durationpb.Duration, granted answer, atMost time.Duration) (context.Context, *Claim) {
	ctx, cancel := context.WithCancel(ctx)
	if atMost == 0 {
		atMost = time.Hour
	}
	length := remaining.AsDuration() - granted.roundTrip
	start := granted.sentAt.Add(granted.roundTrip)
	held := &Claim{
		Fence: claim.GetFence(), message: claim, keeper: k, cancel: cancel, length: length, longest: length,
		safeUntil: start.Add(length / 10 * 9), dueAt: start.Add(length / 3), renewUntil: start.Add(atMost),
	}
	held.cut(granted.sentAt, remaining.AsDuration(), attempt)
	held.changed.L = &held.mutex
	held.mutex.Lock()
	held.expiry = time.AfterFunc(time.Until(held.safeUntil), func() { _ = held.Err() })
	held.mutex.Unlock()
	k.mutex.Lock()
	k.claims[held] = true
	k.mutex.Unlock()
	k.wake()
	return ctx, held
}

// release renews the claim no longer. A renewal that is on its way still counts.
func (k *keeper) release(claim *Claim) {
	k.mutex.Lock()
	delete(k.claims, claim)
	k.mutex.Unlock()
}

// drop ends the context of a claim whose work is over.
func (k *keeper) drop(claim *Claim) {
	k.release(claim)
	claim.mutex.Lock()
	defer claim.mutex.Unlock()
	claim.expiry.Stop()
	claim.safeUntil = time.Time{}
	claim.cancel()
}

// renewLast releases a claim whose record is about to be locked, as a renewal would wait for that lock.
func (k *keeper) renewLast(ctx context.Context, claim *Claim) {
	k.release(claim)
	claim.mutex.Lock()
	isShort := !claim.isRevoked && time.Until(claim.safeUntil) < claim.length/2
	claim.mutex.Unlock()
	if isShort {
		k.renew(ctx, []*Claim{claim})
	}
}

// report renews the claim now if it has details that are not stored.
func (k *keeper) report(ctx context.Context, claim *Claim) {
	claim.mutex.Lock()
	hasDetails := claim.details != nil
	claim.mutex.Unlock()
	if hasDetails {
		k.renew(ctx, []*Claim{claim})
	}
}

func (k *keeper) wake() {
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// run renews until the context ends.
func (k *keeper) run(ctx context.Context) {
	for ctx.Err() == nil {
		due, next := k.due(time.Now())
		if len(due) > 0 {
			go k.renew(ctx, due)
			continue
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-k.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due returns the claims to renew now, the most urgent first, and how long to wait if there are none. One that is nearly due
// joins the others.
func (k *keeper) due(now time.Time) (due []*Claim, next time.Duration) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	next = time.Hour
	var nearly []*Claim
	for claim := range k.claims {
		at, early := claim.nextRenewal()
		switch {
		case at.IsZero():
		case !at.After(now):
			due = append(due, claim)
		default:
			next = least(next, at.Sub(now))
			if at.Sub(now) <= early {
				nearly = append(nearly, claim)
			}
		}
	}
	if len(due) > 0 {
		due = append(due, nearly...)
	}
	if len(due) > maxClaims {
		sort.Slice(due, func(i, j int) bool { return due[i].end().Before(due[j].end()) })
		due = due[:maxClaims]
	}
	for _, claim := range due {
		claim.mutex.Lock()
		claim.isRenewing = true
		claim.mutex.Unlock()
	}
	return due, next
}

func (k *keeper) renew(ctx context.Context, due []*Claim) {
	timeout := time.Duration(math.MaxInt64)
	messages, details := make([]*hapaxv1.Claim, len(due)), make([]*hapaxv1.Payload, len(due))
	anyDetails := false
	size := 0
	for i, claim := range due {
		messages[i] = claim.message
		claim.mutex.Lock()
		timeout = least(timeout, claim.length/3)
		unsent := claim.details
		claim.mutex.Unlock()
		// what is too much for a request goes with a later one
		if size += len(unsent.GetJson()) + len(unsent.GetBinary()); size <= maxDetailsOfCall {
			details[i] = unsent
			anyDetails = anyDetails || unsent != nil
		}
	}
	sent := details
	if !anyDetails {
		sent = nil
	}
	if timeout < 20*time.Millisecond {
		timeout = 20 * time.Millisecond
	}
	sentAt := time.Now()
	results, failed := k.send(detached{ctx}, messages, sent, least(timeout, tryTimeout))
	for i, claim := range due {
		if failed != nil || i >= len(results) {
			claim.renewed(nil, sentAt, errors.New("no result"))
		} else {
			claim.renewed(results[i], sentAt, nil)
			if details[i] != nil && results[i].GetRenewed() != nil {
				claim.stored(details[i])
			}
		}
	}
	k.wake()
}
