package hapax

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

type parcel struct{ Weight int }

func weigh(_ context.Context, _ *Task, p parcel) (string, error) {
	return fmt.Sprintf("%d kg", p.Weight), nil
}

// refusing returns a method that answers with this status.
func refusing(code codes.Code, reason, text string) func(context.Context, func(any) error) (any, error) {
	s, _ := status.New(code, text).WithDetails(&errdetails.ErrorInfo{Reason: reason})
	return func(context.Context, func(any) error) (any, error) { return nil, s.Err() }
}

func TestRegisterTakesTextsAndValues(t *testing.T) {
	var texts []string
	client, _ := handlers{"DefinitionService/RegisterDefinition": on(func(_ context.Context, r *hapaxv1.RegisterDefinitionRequest) (proto.Message, error) {
		texts = append(texts, r.GetJson())
		return &hapaxv1.RegisterDefinitionResponse{Already: len(texts) > 1}, nil
	})}.client(t)
	for i, definition := range []any{`{"name":"order"}`, []byte(`{"name":"order"}`), map[string]any{"name": "order"}} {
		isNew, err := client.Definitions.Register(context.Background(), definition)
		if err != nil || isNew != (i == 0) {
			t.Errorf("registration %d must succeed (was %v, %v)", i, isNew, err)
		}
	}
	isEqual(t, "the texts", texts, []string{`{"name":"order"}`, `{"name":"order"}`, `{"name":"order"}`})
}

// A worker registers its workflows, polls their queues, and gives their code the input.
func TestWorkerOfWorkflows(t *testing.T) {
	registered, polled := make(chan *hapaxv1.RegisterDefinitionRequest, 1), make(chan []string, 100)
	completed := make(chan proto.Message, 1)
	task := heldTask("step", time.Minute)
	task.Run.Definition, task.Step.Name, task.Input = "ship", "main", jsonPayload(`{"Weight":3}`)
	given := make(chan *hapaxv1.Task, 1)
	given <- task
	client, _ := handlers{
		"DefinitionService/RegisterDefinition": on(func(_ context.Context, r *hapaxv1.RegisterDefinitionRequest) (proto.Message, error) {
			registered <- r
			return &hapaxv1.RegisterDefinitionResponse{}, nil
		}),
		"WorkerService/PollTasks": on(func(ctx context.Context, r *hapaxv1.PollTasksRequest) (proto.Message, error) {
			polled <- r.GetQueues()
			select {
			case task := <-given:
				return &hapaxv1.PollTasksResponse{Tasks: []*hapaxv1.Task{task}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(r.GetWait().AsDuration()):
				return &hapaxv1.PollTasksResponse{}, nil
			}
		}),
		"WorkerService/CompleteTask": endOf[hapaxv1.CompleteTaskRequest](completed, &hapaxv1.CompleteTaskResponse{}),
	}.client(t)
	limits := []NamedLimit{{Name: "scale", Input: "/Weight", MaxRunning: 5}, {Name: "shop", Label: "shop", MaxRunning: 2}, {Name: "all", MaxRunning: 9}}
	ship := NewWorkflow("ship", WorkflowOptions{
		Queue: "parcels", Lease: time.Minute, PartRetry: &Retry{MaxAttempts: 5}, Limits: limits,
		RunLimits: []NamedLimit{{Name: "parcels", MaxStarts: 60, Per: time.Minute}},
	}, weigh)
	other := NewWorkflow("other", WorkflowOptions{Queue: "mail", Version: "7"}, weigh)
	worker := &Worker{Client: client, Queues: []string{"mail"}, Workflows: []AnyWorkflow{ship}}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- worker.Run(ctx) }()
	isEqual(t, "the output", endAs[*hapaxv1.CompleteTaskRequest](t, <-completed).GetOutput().GetJson(), `"3 kg"`)
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	definition := <-registered
	isEqual(t, "the definition", definition.GetName()+" "+definition.GetVersion()+" "+definition.GetSteps()[0].GetName(), "ship 1 main")
	code := definition.GetSteps()[0].GetCode()
	isEqual(t, "the options", fmt.Sprint(code.GetLease().AsDuration(), code.GetPartRetry().GetMaxAttempts(), code.Retry == nil), "1m0s 5 true")
	same(t, &hapaxv1.CodeStep{Limits: code.GetLimits()}, &hapaxv1.CodeStep{Limits: []*hapaxv1.Limit{
		{Name: "scale", Key: &hapaxv1.Limit_Input{Input: "/Weight"}, MaxRunning: 5},
		{Name: "shop", Key: &hapaxv1.Limit_Label{Label: "shop"}, MaxRunning: 2}, {Name: "all", MaxRunning: 9},
	}})
	same(t, &hapaxv1.RegisterDefinitionRequest{Limits: definition.GetLimits()}, &hapaxv1.RegisterDefinitionRequest{Limits: []*hapaxv1.Limit{
		{Name: "parcels", MaxStarts: 60, Per: durationpb.New(time.Minute)},
	}})
	isEqual(t, "the queues", <-polled, []string{"mail", "parcels"})
	isEqual(t, "the version", other.registration().GetVersion(), "7")

	twice := &Worker{Client: client, Workflows: []AnyWorkflow{ship, ship}}
	if err := twice.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "ship/main") {
		t.Errorf("a workflow that is listed twice must be refused (was %v)", err)
	}
}

func TestWorkflowThatDiffers(t *testing.T) {
	exists := refusing(codes.AlreadyExists, "DEFINITION_EXISTS", `version "1" of "ship" is registered with other steps: …`)
	client, _ := handlers{"DefinitionService/RegisterDefinition": exists}.client(t)
	err := (&Worker{Client: client, Workflows: []AnyWorkflow{NewWorkflow("ship", WorkflowOptions{Queue: "q"}, weigh)}}).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "is registered with other steps") {
		t.Errorf("the worker must stop with the message of the server (was %v)", err)
	}
}

// A worker that may not register its workflows compares them.
func TestWorkerThatMayNotRegister(t *testing.T) {
	stepOf := func(queue string, lease time.Duration) *hapaxv1.StepDefinition {
		code := &hapaxv1.CodeStep{
			Queue: queue, Lease: duration(lease), Retry: &hapaxv1.RetryPolicy{MaxAttempts: 3, RetryOnly: []string{"A"}},
			Limits: []*hapaxv1.Limit{{Name: "scale", MaxRunning: 5}},
		}
		return &hapaxv1.StepDefinition{Name: "main", Kind: &hapaxv1.StepDefinition_Code{Code: code}}
	}
	definitionOf := func(steps ...*hapaxv1.StepDefinition) func(context.Context, func(any) error) (any, error) {
		return always[hapaxv1.GetDefinitionRequest](&hapaxv1.GetDefinitionResponse{Definition: &hapaxv1.Definition{Steps: steps}})
	}
	timer := &hapaxv1.StepDefinition{Name: "main", Kind: &hapaxv1.StepDefinition_Timer{Timer: &hapaxv1.TimerStep{
		Time: &hapaxv1.TimerStep_Duration{Duration: durationpb.New(time.Hour)}}}}
	workflow := NewWorkflow("ship", WorkflowOptions{
		Queue: "q", Lease: time.Minute, Retry: &Retry{MaxAttempts: 3, RetryOnly: []string{"A"}}, Limits: []NamedLimit{{Name: "scale", MaxRunning: 5}},
	}, weigh)
	unlimited := stepOf("q", time.Minute)
	unlimited.GetCode().Limits = nil
	for _, each := range []struct {
		get       func(context.Context, func(any) error) (any, error)
		text, log string // "" = the worker starts; what the error has
	}{
		{get: definitionOf(stepOf("q", time.Minute))},
		{get: definitionOf(stepOf("mail", time.Minute)), text: `steps[0].code.queue is "mail" (this: "q"); give`},
		{get: definitionOf(stepOf("q", 0)), text: `steps[0].code.lease is unset (this: 60s); give`},
		{get: definitionOf(unlimited), text: `steps[0].code.limits is [] (this: [name:"scale"`},
		{get: always[hapaxv1.GetDefinitionRequest](&hapaxv1.GetDefinitionResponse{Definition: &hapaxv1.Definition{
			Steps: []*hapaxv1.StepDefinition{stepOf("q", time.Minute)}, Limits: []*hapaxv1.Limit{{Name: "parcels", MaxRunning: 2}},
		}}), text: `limits is [name:"parcels"`},
		{get: definitionOf(timer), text: `steps[0].code.queue is "" (this: "q")`},
		{get: definitionOf(), text: "steps has 0 (this: 1)"},
		{get: refusing(codes.NotFound, "DEFINITION_NOT_FOUND", "none"), text: "is not registered, and this worker may not register it"},
		{get: refusing(codes.PermissionDenied, "PERMISSION_DENIED", "no"), log: "is not checked"},
	} {
		client, lines := handlers{
			"DefinitionService/RegisterDefinition": refusing(codes.PermissionDenied, "PERMISSION_DENIED", "no"),
			"DefinitionService/GetDefinition":      each.get,
		}.client(t)
		err := (&Worker{Client: client, Workflows: []AnyWorkflow{workflow}}).Register(context.Background())
		if isStarted := err == nil; isStarted != (each.text == "") || !isStarted && !strings.Contains(err.Error(), each.text) {
			t.Errorf("the error must have %q (was %v)", each.text, err)
		}
		isEqual(t, "the warnings", len(lines.with("is not checked")), map[bool]int{true: 1}[each.log != ""])
	}
}

func TestSignalOutput(t *testing.T) {
	task := &Task{Message: &hapaxv1.Task{SignalOutputs: []*hapaxv1.SignalOutput{{StepName: "approval", Output: jsonPayload(`{"Weight":3}`)}}}}
	var p parcel
	if err := task.SignalOutput("approval", &p); err != nil || p.Weight != 3 {
		t.Errorf("the payload must be that of the signal (was %v, %v)", p, err)
	}
	if err := task.SignalOutput("other", &p); err == nil || !strings.Contains(err.Error(), "no earlier signal step is named other") {
		t.Errorf("a step that does not exist must be an error (was %v)", err)
	}
	task.Message.MoreSignalOutputs = true
	if err := task.SignalOutput("other", &p); err == nil || !strings.Contains(err.Error(), "ListSteps") {
		t.Errorf("an output that did not fit must be an error (was %v)", err)
	}
}
