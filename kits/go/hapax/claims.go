package hapax

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

// Claim is the right to finish one piece of work. Its lease is renewed until the work is recorded. When the claim is lost,
// the context of the work is cancelled.
type Claim struct {
	// Fence only rises for one resource: hand it to what the work writes to, and refuse lower ones there.
	Fence int64

	message                      *hapaxv1.Claim
	keeper                       *keeper
	cancel                       context.CancelFunc
	mutex                        sync.Mutex
	expiry                       *time.Timer
	length, longest              time.Duration
	safeUntil, dueAt, renewUntil time.Time
	attemptUntil                 time.Time        // zero = the attempt has no end
	details                      *hapaxv1.Payload // for the next attempt of a task, until they are stored
	lostReason                   string
	isRevoked                    bool             // Hapax has reported the loss
	isRenewing                   bool             // a renewal is on its way
	parts                        int              // durable calls of a task that are in progress
	changed                      sync.Cond        // of parts and isRevoked
	inSQL                        *hapaxv1.Payload // what a transaction completed the work with
}

// Err returns an error of the kind ClaimLost if another holder may have the work by now. Then stop: the result is dropped.
func (c *Claim) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.safeUntil.IsZero() && !time.Now().Before(c.safeUntil) {
		c.lose("LEASE_LOST")
	}
	if c.lostReason == "" {
		return nil
	}
	return lost(c.lostReason)
}

// revoked returns an error if Hapax has reported the loss: what this holder sends would not be recorded.
func (c *Claim) revoked() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isRevoked {
		return lost(c.lostReason)
	}
	return nil
}

func (c *Claim) reason() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return first(c.lostReason, "ENDED")
}

func (c *Claim) lose(reason string) {
	if c.lostReason == "" {
		c.lostReason = reason
		c.keeper.client.logf("hapax: claim %s is lost: %s", c.message.Id, reason)
		c.cancel()
	}
}

func (c *Claim) revoke(reason string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.setRevoked(reason)
}

// setRevoked needs the mutex.
func (c *Claim) setRevoked(reason string) {
	c.isRevoked = true
	c.lose(reason)
	c.changed.Broadcast()
}

func (c *Claim) partsInProgress() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.parts
}

// nextRenewal returns when to renew, zero if the claim is renewed no more, and how much earlier it may join others.
func (c *Claim) nextRenewal() (at time.Time, early time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isRevoked || c.isRenewing || c.dueAt.After(c.renewUntil) {
		return time.Time{}, 0
	}
	return c.dueAt, c.length / 6
}

func (c *Claim) end() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.safeUntil
}

// cut applies the end of an attempt. No renewal leads beyond it, so the lease needs no margin there.
func (c *Claim) cut(sentAt time.Time, remaining time.Duration, attempt *durationpb.Duration) {
	if attempt == nil {
		return
	}
	c.attemptUntil = sentAt.Add(attempt.AsDuration())
	if attempt.AsDuration() <= remaining {
		c.safeUntil, c.dueAt = c.attemptUntil, time.Now().Add(c.longest/3)
	}
}

// stored forgets details that are stored.
func (c *Claim) stored(details *hapaxv1.Payload) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if details == c.details {
		c.details = nil
	}
}

type renewal interface {
	GetRenewed() *hapaxv1.LeaseRenewed
	GetClaimLost() *hapaxv1.ClaimLost
}

// renewed applies the result of a renewal.
func (c *Claim) renewed(result renewal, sentAt time.Time, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.isRenewing = false
	if c.safeUntil.IsZero() {
		return // the work is over
	}
	if err == nil && result.GetClaimLost() != nil {
		c.setRevoked(lostReason(result.GetClaimLost()))
		return
	}
	now := time.Now()
	if err != nil || result.GetRenewed() == nil {
		c.dueAt = now.Add(least(c.length/12, 2*time.Second))
		return
	}
	c.length = result.GetRenewed().GetLeaseRemaining().AsDuration()
	if c.length > c.longest {
		c.longest = c.length
	}
	margin := c.length / 10
	if late := 2 * now.Sub(sentAt); late > margin {
		margin = late
	}
	c.safeUntil = sentAt.Add(c.length - margin)
	c.dueAt = sentAt.Add(c.length / 3)
	c.cut(sentAt, c.length, result.GetRenewed().GetAttemptRemaining())
	c.expiry.Reset(time.Until(c.safeUntil))
}

func lost(reason string) *Error {
	return &Error{Kind: ClaimLost, Reason: reason, Message: "the claim is lost (" + reason + "): the work was not recorded"}
}

func lostReason(lost *hapaxv1.ClaimLost) string {
	return strings.TrimPrefix(lost.GetReason().String(), "CLAIM_LOST_REASON_")
}

func least(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

type work func(ctx context.Context, claim *Claim) (any, error)

// recorder records the end of the work of a claim; a nil ClaimLost means that it is recorded.
type recorder struct {
	complete func(ctx context.Context, result *hapaxv1.Payload) (*hapaxv1.ClaimLost, error)
	fail     func(ctx context.Context, cause error) (*hapaxv1.ClaimLost, error)
	unkept   *hapaxv1.Payload // stands for a result that cannot be kept
}

// do runs the work of a claim, which is renewed until its end is recorded. It returns the result that Hapax has instead of
// the one that the work returned, if there is one.
func (k *keeper) do(ctx context.Context, claim *Claim, do work, r recorder) (replayed bool, result *hapaxv1.Payload, err error) {
	renewing, stop := context.WithCancel(detached{ctx})
	defer stop()
	defer k.drop(claim)
	go k.run(renewing)
	value, err := k.client.guarded(ctx, claim, do)
	if err == nil && claim.inSQL != nil {
		// only a failure finds out whether the transaction was committed; a completion would hide a rollback
		err = failed(NotCommitted, nil, "the work was completed in a transaction that was not committed")
		return k.fail(ctx, claim, err, err, r)
	}
	if err != nil {
		return k.fail(ctx, claim, err, ofWork(err), r)
	}
	payload, unfit := k.client.payload(detached{ctx}, value)
	if unfit != nil {
		k.client.logf("hapax: the result of claim %s is not kept: %v", claim.message.Id, unfit)
		payload = r.unkept
	}
	over, err := r.complete(ctx, payload)
	if errors.Is(err, Refused) {
		// the effect has happened, so the key must not be free again
		k.client.logf("hapax: the result of claim %s was refused and is not kept: %v", claim.message.Id, err)
		over, err = r.complete(ctx, r.unkept)
	}
	if errors.Is(err, ClaimLost) {
		return false, nil, err
	}
	if err != nil {
		return false, nil, failed(Unrecorded, err, "the work is done, but its record is not confirmed: %v", err)
	}
	return k.client.overtaken(ctx, over, nil)
}

// fail records a failure, and returns the cause for the caller.
func (k *keeper) fail(ctx context.Context, claim *Claim, failure, cause error, r recorder) (bool, *hapaxv1.Payload, error) {
	over, err := r.fail(ctx, failure)
	if err != nil {
		k.client.logf("hapax: the failure of claim %s is not recorded: %v", claim.message.Id, err)
		return false, nil, cause
	}
	if over == nil {
		return false, nil, cause
	}
	if claim.inSQL != nil && over.GetReason() == hapaxv1.ClaimLostReason_CLAIM_LOST_REASON_ENDED {
		return true, claim.inSQL, nil // the transaction was committed
	}
	return k.client.overtaken(ctx, over, cause)
}

// overtaken returns the result of the holder that took over.
func (c *Client) overtaken(ctx context.Context, over *hapaxv1.ClaimLost, cause error) (bool, *hapaxv1.Payload, error) {
	if over == nil {
		return false, nil, nil
	}
	if over.GetReplay() == nil {
		err := lost(lostReason(over))
		err.cause = cause
		return false, nil, err
	}
	return c.replay(detached{ctx}, over.GetReplay())
}

// Panic is the error of work that panicked. Its stack is in the history of the run.
type Panic struct {
	Value any
	Stack string
}

func (p *Panic) Error() string { return fmt.Sprintf("the work panicked: %v", p.Value) }

// guarded runs the work. A panic is an error of it, with the stack in the log.
func (c *Client) guarded(ctx context.Context, claim *Claim, do work) (value any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			stack := string(debug.Stack())
			c.logf("hapax: the work panicked: %v\n%s", panicked, stack)
			value, err = nil, &Panic{Value: panicked, Stack: stack}
		}
	}()
	return do(ctx, claim)
}
