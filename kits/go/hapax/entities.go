package hapax

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

// Entities creates and reads entities, such as invoices. Act acts on them, one holder at a time.
type Entities struct{ client *Client }

// Create lets an entity follow the lifecycle. One that is there is returned as it is.
func (e Entities) Create(ctx context.Context, lifecycle, id, status string) (*hapaxv1.Entity, error) {
	request := &hapaxv1.CreateEntityRequest{Lifecycle: lifecycle, EntityId: id, Status: status}
	response, err := call(ctx, e.client, "EntityService/CreateEntity", request, &hapaxv1.CreateEntityResponse{})
	return response.GetEntity(), err
}

// Get returns the entity, or is Refused (ENTITY_NOT_FOUND).
func (e Entities) Get(ctx context.Context, lifecycle, id string) (*hapaxv1.Entity, error) {
	request := &hapaxv1.GetEntityRequest{Lifecycle: lifecycle, EntityId: id}
	response, err := call(ctx, e.client, "EntityService/GetEntity", request, &hapaxv1.GetEntityResponse{})
	return response.GetEntity(), err
}

// Action is a step of an entity that one holder takes.
type Action struct {
	Lifecycle, EntityID, Step, Requester string
	Lease                                time.Duration // 0 = that of the janitor
	Wait                                 time.Duration // for another holder, at most 30 s
	ExpectedVersion                      int64
	Actor                                string
	HoldAtMost                           time.Duration // the end of renewals; 0 = 1 h
}

// Act runs the work as the holder of the entity, and completes the action; what it returns is the output in the history. If
// it fails, the entity goes back to where it was. Write Claim.Fence with what the work writes, and refuse lower ones there.
//
// The kinds of its errors are ClaimFailed, WrongStatus, NotAllowed and NeedsRecovery if there is no grant, and ClaimLost or
// Unrecorded if the end is not recorded.
func Act[T any](ctx context.Context, c *Client, action Action, do func(ctx context.Context, claim *Claim) (T, error)) (T, error) {
	return resultOf(func(do work) (bool, *hapaxv1.Payload, error) { return c.act(ctx, action, do) }, do)
}

func (c *Client) act(ctx context.Context, a Action, do work) (bool, *hapaxv1.Payload, error) {
	request := &hapaxv1.BeginActionRequest{
		Lifecycle: a.Lifecycle, EntityId: a.EntityID, StepKey: a.Step, Requester: a.Requester, AttemptId: newID(), Actor: a.Actor,
		Lease: duration(a.Lease), Wait: durationpb.New(a.Wait), ExpectedVersion: a.ExpectedVersion,
	}
	begun := &hapaxv1.BeginActionResponse{}
	answered, err := c.send(ctx, "EntityService/BeginAction", request, begun, budget{wait: a.Wait, giveUp: c.timeout})
	if err != nil {
		return false, nil, err
	}
	switch outcome := begun.GetOutcome().(type) {
	case *hapaxv1.BeginActionResponse_Granted_:
		k := newKeeper(c, "complete_action", c.renewAction(a.Lease))
		held, claim := k.hold(ctx, outcome.Granted.GetClaim(), outcome.Granted.GetLeaseRemaining(), answered, a.HoldAtMost)
		return k.do(held, claim, do, c.actionRecorder(claim))
	case *hapaxv1.BeginActionResponse_ClaimFailed_:
		other := outcome.ClaimFailed
		return false, nil, &Error{Kind: ClaimFailed, Message: other.GetMessage(), Holder: other.GetHolder(),
			RetryAfter: other.GetLeaseRemaining().AsDuration()}
	case *hapaxv1.BeginActionResponse_WrongStatus_:
		err := failed(WrongStatus, nil, "step %s does not start from status %s", a.Step, outcome.WrongStatus.GetStatus())
		err.Status = outcome.WrongStatus.GetStatus()
		return false, nil, err
	case *hapaxv1.BeginActionResponse_NotAllowed_:
		return false, nil, failed(NotAllowed, nil, "lifecycle %s has no step %s for %s", a.Lifecycle, a.Step, a.Requester)
	case *hapaxv1.BeginActionResponse_NeedsRecovery_:
		return false, nil, failed(NeedsRecovery, nil, "the janitor of the module must recover the entity first")
	default:
		return false, nil, failed(Refused, nil, "the outcome %T is unknown to this kit; upgrade it", outcome)
	}
}

func (c *Client) renewAction(lease time.Duration) sendRenewals {
	return func(ctx context.Context, claims []*hapaxv1.Claim, _ []*hapaxv1.Payload, timeout time.Duration) ([]renewal, *Error) {
		response := &hapaxv1.RenewActionResponse{}
		request := &hapaxv1.RenewActionRequest{Workspace: c.workspace, Claim: claims[0], Lease: duration(lease)}
		_, err := c.tryOnce(ctx, "EntityService/RenewAction", request, response, timeout)
		return []renewal{response}, err
	}
}

func (c *Client) actionRecorder(claim *Claim) recorder {
	return recorder{
		complete: func(ctx context.Context, output *hapaxv1.Payload) (*hapaxv1.ClaimLost, error) {
			if err := claim.revoked(); err != nil {
				return nil, err
			}
			request := &hapaxv1.CompleteActionRequest{Claim: claim.message, Output: output}
			return c.recordEnd(ctx, "EntityService/CompleteAction", request, &hapaxv1.CompleteActionResponse{})
		},
		fail: func(ctx context.Context, cause error) (*hapaxv1.ClaimLost, error) {
			kind := hapaxv1.ActionFailureKind_ACTION_FAILURE_KIND_EXCEPTION
			var known *Error
			if kindOf(cause) == Invalid {
				kind = hapaxv1.ActionFailureKind_ACTION_FAILURE_KIND_INVALID
			} else if errors.As(cause, &known) && known.FailureCode != "" {
				kind = hapaxv1.ActionFailureKind_ACTION_FAILURE_KIND_FAILURE
			}
			request := &hapaxv1.FailActionRequest{Claim: claim.message, Kind: kind, Message: failure(cause).GetMessage()}
			return c.recordEnd(ctx, "EntityService/FailAction", request, &hapaxv1.FailActionResponse{})
		},
	}
}

// The verdicts of a janitor about an action whose holder is gone.
const (
	Complete = hapaxv1.RecoveryOutcome_RECOVERY_OUTCOME_COMPLETE // the action took effect
	Revert   = hapaxv1.RecoveryOutcome_RECOVERY_OUTCOME_REVERT   // it did not, and never will
)

// Janitor finds out for a module whether abandoned actions took effect. Check looks in the module's own tables for what the
// lost action wrote: it carries the fence of Recovery.Lost. If it fails, the recovery is handed out again after the lease.
type Janitor struct {
	Client      *Client
	Module      string
	Check       func(ctx context.Context, recovery *hapaxv1.Recovery) (hapaxv1.RecoveryOutcome, error)
	Concurrency int           // how many recoveries at once; 0 = 10
	Lease       time.Duration // for one check; 0 = 60 s
}

// Run polls until the context ends, and returns when the recoveries that it has begun are done.
func (j *Janitor) Run(ctx context.Context) error {
	if j.Client == nil || j.Module == "" || j.Check == nil {
		return errors.New("a janitor needs a Client, a Module and a Check")
	}
	lease := j.Lease
	if lease == 0 {
		lease = time.Minute
	}
	work := detached{ctx}
	j.Client.poll(ctx, "PollRecoveries", j.Concurrency, func(ctx context.Context, p poll) ([]func(), error) {
		response := &hapaxv1.PollRecoveriesResponse{}
		request := &hapaxv1.PollRecoveriesRequest{
			Module: j.Module, AttemptId: p.attempt, MaxRecoveries: p.room, Lease: durationpb.New(lease), Wait: p.wait,
		}
		_, err := j.Client.send(ctx, "JanitorService/PollRecoveries", request, response, p.budget)
		var items []func()
		for _, recovery := range response.GetRecoveries() {
			recovery := recovery
			items = append(items, func() { j.recover(work, recovery) })
		}
		return items, err
	})
	return nil
}

func (j *Janitor) recover(ctx context.Context, recovery *hapaxv1.Recovery) {
	entity := recovery.GetEntity()
	verdict, err := j.Client.guarded(ctx, nil, func(ctx context.Context, _ *Claim) (any, error) { return j.Check(ctx, recovery) })
	if err == nil {
		request := &hapaxv1.CompleteRecoveryRequest{Claim: recovery.GetClaim(), Outcome: verdict.(hapaxv1.RecoveryOutcome)}
		_, err = j.Client.record(ctx, "JanitorService/CompleteRecovery", request, &hapaxv1.CompleteRecoveryResponse{})
	}
	if err != nil {
		j.Client.logf("hapax: the recovery of %s %s is handed out again when its lease expires: %v", entity.GetLifecycle(), entity.GetId(), err)
		return
	}
	j.Client.logf("hapax: recovery of %s %s: %s", entity.GetLifecycle(), entity.GetId(), verdict)
}
