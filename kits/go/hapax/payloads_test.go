package hapax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// bucket is a store in memory.
type bucket struct {
	contents map[string][]byte
	err      error
}

func (b *bucket) Put(_ context.Context, content []byte) (string, error) {
	if b.err != nil {
		return "", b.err
	}
	ref := fmt.Sprint("object-", len(b.contents)+1)
	b.contents[ref] = content
	return ref, nil
}

func (b *bucket) Get(_ context.Context, ref string) ([]byte, error) { return b.contents[ref], b.err }

func newBucket() *bucket { return &bucket{contents: map[string][]byte{}} }

// A long payload is a reference for Hapax, and the value for its readers.
func TestStoredPayloads(t *testing.T) {
	client, _ := handlers{}.client(t)
	b := newBucket()
	client.Payloads = b
	ctx := context.Background()
	for _, value := range []any{strings.Repeat("é", 1<<20), []byte(strings.Repeat("a", 2<<20))} {
		payload, err := client.payload(ctx, value)
		if err != nil {
			t.Fatal(err)
		}
		if size := proto.Size(payload); size > 1000 {
			t.Errorf("the payload must be a reference (was %d bytes)", size)
		}
		var read any
		if err := client.Decode(ctx, payload, &read); err != nil || fmt.Sprint(read) != fmt.Sprint(value) {
			t.Errorf("the value must be read again (%v)", err)
		}
		if err := Decode(payload, &read); err == nil || !strings.Contains(err.Error(), "Options.Payloads") {
			t.Errorf("without the store it must be an error (was %v)", err)
		}
		ref := storedOf(payload).Ref
		b.contents[ref] = append([]byte("b"), b.contents[ref][1:]...)
		var changed *Error
		if err := client.Decode(ctx, payload, &read); !errors.As(err, &changed) || changed.Kind != FinalFailure || changed.FailureCode != "STORED_PAYLOAD_CHANGED" {
			t.Errorf("changed bytes must be an error (was %v)", err)
		}
	}
	payload, err := client.payload(ctx, "hello")
	if err != nil || payload.GetJson() != `"hello"` || len(b.contents) != 2 {
		t.Errorf("a short payload must not be stored (was %v, %v)", payload, err)
	}
	known := `{"@type":"hapax.dev/stored","ref":"object-1","sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","bytes":5}`
	b.contents["object-1"] = []byte("hello")
	content, err := client.fetched(ctx, &hapaxv1.Payload{Content: &hapaxv1.Payload_Binary{Binary: []byte(known)}})
	if err != nil || string(content.GetBinary()) != "hello" {
		t.Errorf("the text of other kits must be known (was %v, %v)", content, err)
	}
}

// Inputs, parts, steps and operations of 2 MB go through the store [O4].
func TestLongValues(t *testing.T) {
	b, long := newBucket(), strings.Repeat("x", 2<<20)
	s := newScene()
	s.payloads = b
	handler := func(ctx context.Context, t *Task) (any, error) {
		var input, previous string
		if err := t.Input(&input); err != nil {
			return nil, err
		}
		if err := t.PreviousOutput(&previous); err != nil {
			return nil, err
		}
		return Record(ctx, t, "big", func(context.Context, string) (string, error) { return input + previous, nil })
	}
	storing := &Client{Payloads: b}
	task := func() *hapaxv1.Task {
		task := s.task()
		task.Input, _ = storing.payload(context.Background(), long)
		task.Run.Output, _ = storing.payload(context.Background(), long)
		return task
	}
	end := endAs[*hapaxv1.CompleteTaskRequest](t, s.execute(t, handler, task())[0])
	output, err := storing.fetched(context.Background(), end.GetOutput())
	if err != nil || len(output.GetJson()) != 4<<20+2 || storedOf(s.outputs["big"].GetOutput()) == nil {
		t.Errorf("the output must be the stored one (was %d bytes, %v)", len(output.GetJson()), err)
	}
	// the replay reads the store
	b.contents[storedOf(s.outputs["big"].GetOutput()).Ref][5] = 'y'
	failed := endAs[*hapaxv1.FailTaskRequest](t, s.execute(t, handler, task())[0])
	isEqual(t, "the failure", fmt.Sprint(failed.GetKind(), failed.GetFailure().GetCode()), fmt.Sprint(final, "STORED_PAYLOAD_CHANGED"))
	// a store that fails is tried again
	b.err = errors.New("the bucket is away")
	big := func(ctx context.Context, t *Task) (any, error) { return long, nil }
	failed = endAs[*hapaxv1.FailTaskRequest](t, s.execute(t, big, s.task())[0])
	isEqual(t, "the failure", fmt.Sprint(failed.GetKind(), failed.GetFailure().GetCode()), fmt.Sprint(retryable, "PAYLOAD_NOT_STORED"))

	b.err = nil
	var completed *hapaxv1.CompleteOperationRequest
	server := recording()
	server["OperationService/CompleteOperation"] = on(func(_ context.Context, r *hapaxv1.CompleteOperationRequest) (proto.Message, error) {
		completed = r
		return &hapaxv1.CompleteOperationResponse{Outcome: &hapaxv1.CompleteOperationResponse_Completed_{}}, nil
	})
	var started []*hapaxv1.StartRunRequest
	server["RunService/StartRun"] = on(func(_ context.Context, r *hapaxv1.StartRunRequest) (proto.Message, error) {
		started = append(started, r)
		return &hapaxv1.StartRunResponse{}, nil
	})
	client, _ := server.client(t)
	client.Payloads = b
	operation := Operation{Name: "render", RequestID: "r-1"}
	render := func(context.Context, *Claim) (string, error) { return long, nil }
	if value, err := Once(context.Background(), client, operation, render); err != nil || value != long {
		t.Errorf("the operation must return its value (%v)", err)
	}
	replaying, _ := handlers{"OperationService/BeginOperation": always[hapaxv1.BeginOperationRequest](&hapaxv1.BeginOperationResponse{
		Outcome: &hapaxv1.BeginOperationResponse_Replay{Replay: replayOf(completed.GetResult())}})}.client(t)
	replaying.Payloads = b
	if value, err := Once(context.Background(), replaying, operation, render); err != nil || value != long || storedOf(completed.GetResult()) == nil {
		t.Errorf("the duplicate must get the stored value (%v)", err)
	}
	for i := 0; i < 2; i++ {
		if _, err := client.Runs.Start(context.Background(), NewRun{Definition: "d", IdempotencyKey: "k", Input: long}); err != nil {
			t.Fatal(err)
		}
	}
	isEqual(t, "the fingerprint of the duplicate", started[0].GetFingerprint(), started[1].GetFingerprint())
	if len(started[0].GetFingerprint()) != 32 || storedOf(started[0].GetInput()) == nil {
		t.Errorf("the input must be stored, with the fingerprint of the value (was %v)", started[0])
	}
	b.err = errors.New("the bucket is away")
	_, err = client.Runs.Start(context.Background(), NewRun{Definition: "d", Input: long})
	isKind(t, err, Unavailable)
}
