package hapax

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

func same(t *testing.T, request, expected proto.Message) {
	t.Helper()
	if !proto.Equal(request, expected) {
		t.Errorf("the request must be %v (was %v)", expected, request)
	}
}

func TestCreateHook(t *testing.T) {
	var request *hapaxv1.CreateHookRequest
	response := &hapaxv1.CreateHookResponse{Outcome: &hapaxv1.CreateHookResponse_Hook{Hook: &hapaxv1.Hook{}}}
	client, _ := handlers{
		"HookService/CreateHook": on(func(_ context.Context, sent *hapaxv1.CreateHookRequest) (proto.Message, error) {
			request = sent
			return response, nil
		}),
	}.client(t)
	claim := &Claim{message: &hapaxv1.Claim{Id: "claim", Fence: 3}}
	hook := Hook{Token: "order/4711", Name: "paid", OnConflict: Supersede, ExpectedOwner: "run-0", Retention: time.Minute}

	owner, err := client.Hooks.Create(context.Background(), "run-1", hook, claim)
	if owner != "" || err != nil {
		t.Errorf("the run must get the token (was %q, %v)", owner, err)
	}
	same(t, request, &hapaxv1.CreateHookRequest{
		RunId: "run-1", Token: "order/4711", Name: "paid", OnConflict: Supersede, ExpectedOwner: "run-0",
		Retention: durationpb.New(time.Minute), Claim: claim.message,
	})

	response.Outcome = &hapaxv1.CreateHookResponse_Conflict_{Conflict: &hapaxv1.CreateHookResponse_Conflict{RunId: "run-2"}}
	if owner, err := client.Hooks.Create(context.Background(), "run-1", hook, nil); owner != "run-2" || err != nil {
		t.Errorf("the owner must be named (was %q, %v)", owner, err)
	}
	if request.GetClaim() != nil {
		t.Errorf("without a claim there must be none (was %v)", request)
	}

	response.Outcome = &hapaxv1.CreateHookResponse_ClaimLost{ClaimLost: lostWith(nil)}
	_, err = client.Hooks.Create(context.Background(), "run-1", hook, claim)
	isKind(t, err, ClaimLost)

	_, err = client.Hooks.Create(context.Background(), "run-1", Hook{Token: "a\nb"}, nil)
	isKind(t, err, Refused)
}

func TestQueue(t *testing.T) {
	var request *hapaxv1.StartRunRequest
	client, _ := handlers{
		"RunService/StartRun": on(func(_ context.Context, sent *hapaxv1.StartRunRequest) (proto.Message, error) {
			request = sent
			return &hapaxv1.StartRunResponse{Disposition: hapaxv1.Disposition_DISPOSITION_QUEUED, RunsAhead: 3}, nil
		}),
	}.client(t)
	run := NewRun{Definition: "sync", Hooks: []Hook{{Token: "customer/7", OnConflict: Queue, QueueLimit: 1, QueueFull: QueueSupersede}}}
	started, err := client.Runs.Start(context.Background(), run)
	if err != nil || started.GetRunsAhead() != 3 {
		t.Errorf("3 runs must be ahead (was %v, %v)", started, err)
	}
	same(t, request.GetHooks()[0], &hapaxv1.StartRunRequest_Hook{
		Token: "customer/7", OnConflict: Queue, QueueLimit: 1, QueueFull: QueueSupersede, Retention: request.GetHooks()[0].GetRetention(),
	})
}

func TestGetHook(t *testing.T) {
	response := &hapaxv1.GetHookResponse{
		Hook: &hapaxv1.Hook{RunId: "run-1"}, Waiting: []*hapaxv1.WaitingRun{{RunId: "run-2"}, {RunId: "run-3"}},
	}
	client, _ := handlers{
		"HookService/GetHook": on(func(context.Context, *hapaxv1.GetHookRequest) (proto.Message, error) { return response, nil }),
	}.client(t)
	if owner, err := client.Hooks.Get(context.Background(), "customer/7"); owner != "run-1" || err != nil {
		t.Errorf("the owner must be found (was %q, %v)", owner, err)
	}
	response.Hook = nil
	if owner, err := client.Hooks.Get(context.Background(), "customer/7"); owner != "run-2" || err != nil {
		t.Errorf("the first run that waits must be found (was %q, %v)", owner, err)
	}
}

func TestDisposeHook(t *testing.T) {
	var request *hapaxv1.DisposeHookRequest
	client, _ := handlers{
		"HookService/DisposeHook": on(func(_ context.Context, sent *hapaxv1.DisposeHookRequest) (proto.Message, error) {
			request = sent
			return &hapaxv1.DisposeHookResponse{}, nil
		}),
	}.client(t)
	if err := client.Hooks.Dispose(context.Background(), "order/4711", "run-1"); err != nil {
		t.Error(err)
	}
	same(t, request, &hapaxv1.DisposeHookRequest{Token: "order/4711", RunId: "run-1"})
	isKind(t, newRefusing(t).Hooks.Dispose(context.Background(), "order/4711", "run-1"), Refused)
}

func TestLimits(t *testing.T) {
	var changes []*hapaxv1.SetLimitRequest
	client, _ := handlers{
		"LimitService/SetLimit": on(func(_ context.Context, sent *hapaxv1.SetLimitRequest) (proto.Message, error) {
			changes = append(changes, sent)
			return &hapaxv1.SetLimitResponse{Already: len(changes) > 1}, nil
		}),
		"LimitService/ListLimits": on(func(_ context.Context, sent *hapaxv1.ListLimitsRequest) (proto.Message, error) {
			if sent.GetPageToken() == "" {
				return &hapaxv1.ListLimitsResponse{Limits: []*hapaxv1.LimitState{{Name: sent.GetName()}}, NextPageToken: "next"}, nil
			}
			return &hapaxv1.ListLimitsResponse{Limits: []*hapaxv1.LimitState{{Name: sent.GetName(), Key: "acme", Running: 2}}}, nil
		}),
	}.client(t)
	ctx := context.Background()
	limit := Limit{Key: "acme", MaxRunning: 2, MaxStarts: 60, Per: time.Minute, Reason: "slow"}
	if isChanged, err := client.Limits.Set(ctx, "openai", limit); !isChanged || err != nil {
		t.Errorf("the limit must be changed (was %v, %v)", isChanged, err)
	}
	if isChanged, err := client.Limits.Remove(ctx, "openai", Limit{Key: "acme", OfDefinitions: true, Reason: "fast"}); isChanged || err != nil {
		t.Errorf("the limit must be as before (was %v, %v)", isChanged, err)
	}
	same(t, changes[0], &hapaxv1.SetLimitRequest{
		Name: "openai", Key: "acme", Reason: "slow", MaxRunning: 2, MaxStarts: 60, Per: durationpb.New(time.Minute),
	})
	same(t, changes[1], &hapaxv1.SetLimitRequest{
		Name: "openai", Key: "acme", OfDefinitions: true, Reason: "fast", Remove: true,
	})
	states, err := client.Limits.List(ctx, "openai")
	if err != nil || len(states) != 2 || states[1].GetKey() != "acme" {
		t.Errorf("the limits of both pages must be listed (was %v, %v)", states, err)
	}
	_, err = newRefusing(t).Limits.List(ctx, "")
	isKind(t, err, Refused)
}

// newRefusing returns a client of a server that has no method.
func newRefusing(t *testing.T) *Client {
	client, _ := handlers{}.client(t)
	return client
}

func TestExpectedVersion(t *testing.T) {
	var request *hapaxv1.BeginActionRequest
	client, _ := handlers{
		"EntityService/BeginAction": on(func(_ context.Context, sent *hapaxv1.BeginActionRequest) (proto.Message, error) {
			request = sent
			return &hapaxv1.BeginActionResponse{Outcome: &hapaxv1.BeginActionResponse_WrongStatus_{
				WrongStatus: &hapaxv1.BeginActionResponse_WrongStatus{Status: "sent"}}}, nil
		}),
	}.client(t)
	action := Action{Lifecycle: "invoice", EntityID: "I-17", Step: "send", Requester: "billing", Actor: "anna", ExpectedVersion: 7, Lease: time.Minute}
	_, err := Act(context.Background(), client, action, func(context.Context, *Claim) (int, error) { return 1, nil })
	isKind(t, err, WrongStatus)
	same(t, request, &hapaxv1.BeginActionRequest{
		Lifecycle: "invoice", EntityId: "I-17", StepKey: "send", Requester: "billing", Actor: "anna", ExpectedVersion: 7,
		Lease: durationpb.New(time.Minute), Wait: durationpb.New(0), AttemptId: request.GetAttemptId(),
	})
	if request.GetAttemptId() == "" {
		t.Error("the attempt must have an id")
	}
}
