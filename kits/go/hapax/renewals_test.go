package hapax

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

func heldTask(id string, lease time.Duration) *hapaxv1.Task {
	return &hapaxv1.Task{
		Claim: &hapaxv1.Claim{Id: id, Fence: 1}, LeaseRemaining: durationpb.New(lease),
		Run: &hapaxv1.Run{Id: "run-" + id}, Step: &hapaxv1.Step{Id: id, Name: "step"},
	}
}

// renewedAll is the answer to a heartbeat that renews each claim for its lease.
func renewedAll(request *hapaxv1.HeartbeatTasksRequest, leases map[string]time.Duration) *hapaxv1.HeartbeatTasksResponse {
	response := &hapaxv1.HeartbeatTasksResponse{}
	for _, claim := range request.GetClaims() {
		response.Results = append(response.Results, &hapaxv1.HeartbeatTasksResponse_Result{
			Outcome: &hapaxv1.HeartbeatTasksResponse_Result_Renewed{
				Renewed: &hapaxv1.LeaseRenewed{LeaseRemaining: durationpb.New(leases[claim.GetId()])}}})
	}
	return response
}

// A heartbeat of a long lease that hangs does not keep a short one from being renewed.
func TestHangingHeartbeat(t *testing.T) {
	leases := map[string]time.Duration{"long": 12 * time.Second, "short": 6 * time.Second}
	polls := make(chan *hapaxv1.Task, 2)
	polls <- heldTask("long", leases["long"])
	hangs, short := make(chan bool), make(chan bool, 100)
	var isHanging int32
	server := handlers{
		"WorkerService/PollTasks": on(func(ctx context.Context, _ *hapaxv1.PollTasksRequest) (proto.Message, error) {
			asked := time.Now()
			select {
			case task := <-polls:
				// counts from the request
				task.LeaseRemaining = durationpb.New(task.LeaseRemaining.AsDuration() + time.Since(asked))
				return &hapaxv1.PollTasksResponse{Tasks: []*hapaxv1.Task{task}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
		"WorkerService/HeartbeatTasks": on(func(ctx context.Context, request *hapaxv1.HeartbeatTasksRequest) (proto.Message, error) {
			for _, claim := range request.GetClaims() {
				if claim.GetId() == "short" {
					short <- true
				} else if atomic.CompareAndSwapInt32(&isHanging, 0, 1) {
					close(hangs)
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}
			return renewedAll(request, leases), nil
		}),
		"WorkerService/CompleteTask": always[hapaxv1.CompleteTaskRequest](&hapaxv1.CompleteTaskResponse{}),
	}
	client, lines := server.client(t)
	ctx, stop := context.WithCancel(context.Background())
	end, ended := make(chan bool), make(chan error)
	go func() {
		hold := func(context.Context, *Task) (any, error) { <-end; return nil, nil }
		worker := &Worker{Client: client, Queues: []string{"q"}, Steps: map[string]Handler{"step": hold}}
		ended <- worker.Run(ctx)
	}()
	<-hangs
	polls <- heldTask("short", leases["short"])
	for i := 0; i < 3; i++ {
		select {
		case <-short:
		case <-time.After(patience):
			t.Fatal("the short lease is not renewed")
		}
	}
	if lost := lines.with("is lost"); len(lost) > 0 {
		t.Errorf("no claim must be lost: %v", lost)
	}
	close(end)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Details without content are sent, too: an empty []byte, an empty text, and nil as the JSON null.
func TestEmptyDetails(t *testing.T) {
	for _, each := range []struct {
		details any
		payload *hapaxv1.Payload
	}{
		{[]byte{}, &hapaxv1.Payload{Content: &hapaxv1.Payload_Binary{Binary: []byte{}}}}, {"", jsonPayload(`""`)}, {nil, null},
	} {
		var sent *hapaxv1.HeartbeatTasksRequest
		client, _ := handlers{
			"WorkerService/HeartbeatTasks": on(func(_ context.Context, request *hapaxv1.HeartbeatTasksRequest) (proto.Message, error) {
				sent = request
				return renewedAll(request, map[string]time.Duration{"c": time.Minute}), nil
			}),
		}.client(t)
		k := newKeeper(client, "", (&shift{client: client}).heartbeat)
		_, claim := k.hold(context.Background(), &hapaxv1.Claim{Id: "c"}, durationpb.New(time.Minute), answer{sentAt: time.Now()}, 0)
		if err := (&Task{Claim: claim}).Heartbeat(each.details); err != nil {
			t.Fatal(err)
		}
		k.report(context.Background(), claim)
		if len(sent.GetDetails()) != 1 || !proto.Equal(sent.GetDetails()[0], each.payload) {
			t.Errorf("the details must be %v (was %v)", each.payload, sent.GetDetails())
		}
		k.drop(claim)
	}
}

// Of more claims than one call takes, the most urgent go first.
func TestUrgentRenewalsGoFirst(t *testing.T) {
	k := newKeeper(&Client{logf: t.Logf}, "", nil)
	now := time.Now()
	for i := 0; i < maxClaims+100; i++ {
		urgency := time.Duration(i) * time.Millisecond
		claim := &Claim{
			message: &hapaxv1.Claim{Id: fmt.Sprint(i)}, length: time.Minute,
			dueAt: now.Add(-urgency), renewUntil: now.Add(time.Hour), safeUntil: now.Add(time.Hour - urgency),
		}
		k.claims[claim] = true
	}
	due, _ := k.due(now)
	if len(due) != maxClaims {
		t.Fatalf("one call must renew %d claims (was %d)", maxClaims, len(due))
	}
	for _, claim := range due {
		if now.Sub(claim.dueAt) < 100*time.Millisecond {
			t.Fatalf("claim %s is not among the most urgent", claim.message.GetId())
		}
	}
	if next, _ := k.due(now); len(next) != 100 {
		t.Errorf("the next call must renew the other 100, while this one is under way (was %d)", len(next))
	}
}
