package hapax

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hapax.dev/kits/go/hapaxv1"
)

// Definitions registers and reads definitions.
type Definitions struct{ client *Client }

// Register registers a version of a definition. The definition is the JSON text of a definition file, as a string or []byte,
// or anything whose JSON is one, such as a map. It returns false if an earlier call registered the same. It is Refused
// (DEFINITION_EXISTS) if the version is registered with other steps, and (INVALID_FIELD) with all errors of the text at once.
func (d Definitions) Register(ctx context.Context, definition any) (isNew bool, err error) {
	var text []byte
	switch definition := definition.(type) {
	case string:
		text = []byte(definition)
	case []byte:
		text = definition
	default:
		if text, err = json.Marshal(definition); err != nil {
			return false, failed(Refused, err, "the definition has no JSON: %v", err)
		}
	}
	request := &hapaxv1.RegisterDefinitionRequest{Json: string(text)}
	response, err := call(ctx, d.client, "DefinitionService/RegisterDefinition", request, &hapaxv1.RegisterDefinitionResponse{})
	return err == nil && !response.GetAlready(), err
}

// Get returns a version of a definition, or is Refused (DEFINITION_NOT_FOUND). Without a version it returns the one that was
// registered last.
func (d Definitions) Get(ctx context.Context, name, version string) (*hapaxv1.Definition, error) {
	request := &hapaxv1.GetDefinitionRequest{Name: name, Version: version}
	response, err := call(ctx, d.client, "DefinitionService/GetDefinition", request, &hapaxv1.GetDefinitionResponse{})
	return response.GetDefinition(), err
}

// workflowStep is the name of the only step of a workflow.
const workflowStep = "main"

// WorkflowOptions are the options of NewWorkflow. What is empty is as Hapax does.
type WorkflowOptions struct {
	Queue   string        // required
	Version string        // "" = "1"
	Lease   time.Duration // for which a worker may be silent, 100 ms to 24 h; 0 = 30 s
	// AttemptTimeout is how long an execution may take, up to its end or its next wait; 0 = any time. Then its worker loses the task,
	// and it fails with ATTEMPT_TIMEOUT.
	AttemptTimeout time.Duration
	Limits         []NamedLimit // that an execution must pass to reach the queue, at most 4: the run waits until all have room
	RunLimits      []NamedLimit // that a run must pass to start, at most 4: it counts until its end, and its start has no Hooks
	Retry          *Retry       // of executions that fail outside of parts; nil = 3 attempts without progress
	PartRetry      *Retry       // of parts, unless they have their own; nil = 8 attempts
}

// Workflow is a definition with one code step, main, and the code of that step. Give it to Worker.Workflows, and start runs
// with it.
type Workflow[I, O any] struct {
	definition *hapaxv1.RegisterDefinitionRequest
	code       func(ctx context.Context, task *Task, input I) (O, error)
}

// NewWorkflow returns the workflow of this name. The code gets the decoded input of the run, and returns its output.
func NewWorkflow[I, O any](name string, options WorkflowOptions, code func(ctx context.Context, task *Task, input I) (O, error)) *Workflow[I, O] {
	main := &hapaxv1.CodeStep{
		Queue: options.Queue, Lease: duration(options.Lease), Retry: options.Retry.message(), PartRetry: options.PartRetry.message(),
		AttemptTimeout: duration(options.AttemptTimeout), Limits: limitMessages(options.Limits),
	}
	step := &hapaxv1.StepDefinition{Name: workflowStep, Kind: &hapaxv1.StepDefinition_Code{Code: main}}
	definition := &hapaxv1.RegisterDefinitionRequest{
		Name: name, Version: first(options.Version, "1"), Steps: []*hapaxv1.StepDefinition{step},
		Limits: limitMessages(options.RunLimits),
	}
	return &Workflow[I, O]{definition, code}
}

// Start starts a run with this input, as Runs.Start does. It sets the Definition, Version and Input of the run.
func (w *Workflow[I, O]) Start(ctx context.Context, c *Client, input I, run NewRun) (*hapaxv1.StartRunResponse, error) {
	run.Definition, run.Version, run.Input = w.definition.Name, w.definition.Version, input
	return c.Runs.Start(ctx, run)
}

// Result waits for the end of a run of this workflow, as the function Result does.
func (w *Workflow[I, O]) Result(ctx context.Context, c *Client, runID string) (O, error) {
	return Result[O](ctx, c, runID)
}

// AnyWorkflow is a *Workflow, whatever its input and output are.
type AnyWorkflow interface {
	registration() *hapaxv1.RegisterDefinitionRequest
	handle(ctx context.Context, task *Task) (any, error)
}

func (w *Workflow[I, O]) registration() *hapaxv1.RegisterDefinitionRequest { return w.definition }

func (w *Workflow[I, O]) handle(ctx context.Context, task *Task) (any, error) {
	var input I
	payload, err := task.client.fetched(ctx, task.Message.GetInput())
	if err != nil {
		return nil, err
	}
	if err := Decode(payload, &input); err != nil {
		return nil, Fail(FinalFailure, "INPUT_UNREADABLE", fmt.Sprintf("the input of run %s is no %T: %v", task.RunID, input, err))
	}
	return w.code(ctx, task, input)
}

// Register registers the definitions of the workflows, as Run does before its first poll. It waits for the server until the
// context ends. If the API key may not register them, it compares them with those that are registered. It is Refused
// (DEFINITION_EXISTS) if a version is registered with other steps.
func (w *Worker) Register(ctx context.Context) error {
	for _, workflow := range w.Workflows {
		if err := w.Client.register(ctx, workflow.registration()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) register(ctx context.Context, definition *hapaxv1.RegisterDefinitionRequest) error {
	request := &hapaxv1.RegisterDefinitionRequest{
		Name: definition.Name, Version: definition.Version, Steps: definition.Steps, Limits: definition.Limits,
	}
	_, err := c.send(ctx, "DefinitionService/RegisterDefinition", request, &hapaxv1.RegisterDefinitionResponse{}, budget{giveUp: forever})
	if !errors.Is(err, PermissionDenied) {
		return err
	}
	registered, err := c.Definitions.Get(ctx, definition.Name, definition.Version)
	var refused *Error
	switch {
	case errors.Is(err, PermissionDenied):
		c.logf("hapax: version %q of %q is not checked: this worker may neither register nor read definitions", definition.Version, definition.Name)
		return nil
	case errors.As(err, &refused) && refused.Reason == "DEFINITION_NOT_FOUND":
		return failed(Refused, err, "version %q of %q is not registered, and this worker may not register it; "+
			"register it with a key that has the permission define, by Worker.Register", definition.Version, definition.Name)
	case err != nil:
		return err
	}
	var found []string
	if this, other := fmt.Sprint(definition.Limits), fmt.Sprint(registered.GetLimits()); this != other {
		found = append(found, fmt.Sprintf("limits is %s (this: %s)", other, this))
	}
	if steps := registered.GetSteps(); len(steps) != 1 {
		found = append(found, fmt.Sprintf("steps has %d (this: 1)", len(steps)))
	} else {
		found = append(found, differences("steps[0]", definition.Steps[0].ProtoReflect(), steps[0].ProtoReflect())...)
	}
	if len(found) > 0 {
		return failed(Refused, nil, "version %q of %q is registered with other steps: %s; give the changed workflow another Version",
			definition.Version, definition.Name, strings.Join(found, "; "))
	}
	return nil
}

// differences names the fields that are set in this message and have another value in the registered one.
func differences(path string, this, registered protoreflect.Message) (found []string) {
	this.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		name, other := path+"."+string(field.Name()), registered.Get(field)
		isMessage := field.Message() != nil && !field.IsList()
		switch {
		case isMessage && field.Message().FullName() != "google.protobuf.Duration":
			found = append(found, differences(name, value.Message(), other.Message())...)
		case text(field, value) != text(field, other):
			found = append(found, fmt.Sprintf("%s is %s (this: %s)", name, text(field, other), text(field, value)))
		}
		return true
	})
	sort.Strings(found)
	return found
}

// text returns a value as a definition file has it.
func text(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	if field.Message() != nil && !field.IsList() {
		if !value.Message().IsValid() {
			return "unset"
		}
		return strings.Trim(protojson.Format(value.Message().Interface()), `"`)
	}
	if field.IsList() {
		var items []string
		for i := 0; i < value.List().Len(); i++ {
			item := value.List().Get(i)
			if field.Message() != nil {
				items = append(items, fmt.Sprint(item.Message().Interface()))
			} else {
				items = append(items, fmt.Sprintf("%q", item.String()))
			}
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if field.Kind() == protoreflect.StringKind {
		return fmt.Sprintf("%q", value.String())
	}
	return value.String()
}
