package hapaxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
)

type order struct {
	ID    string
	Items []string
}

// bodies counts the bodies that run, by their keys.
type bodies map[string]int

func (b bodies) body(_ context.Context, key string) (string, error) {
	b[key]++
	return "done", nil
}

// fulfil is a workflow with most kinds of parts.
func fulfil(b bodies) *hapax.Workflow[order, string] {
	return hapax.NewWorkflow("fulfil", hapax.WorkflowOptions{Queue: "orders"}, func(ctx context.Context, task *hapax.Task, o order) (string, error) {
		for i := 0; i < 2; i++ {
			if _, err := hapax.Record(ctx, task, "llm", b.body, hapax.Retry{MaxAttempts: 3, Initial: 10 * time.Second}); err != nil {
				return "", err
			}
		}
		_, err := hapax.Map(ctx, task, "item", o.Items, hapax.MapOptions[string]{Concurrency: 1}, func(ctx context.Context, task *hapax.Task, _ string) (string, error) {
			return hapax.Record(ctx, task, "price", b.body)
		})
		if err != nil {
			return "", err
		}
		if err := task.SetState(ctx, map[string]any{"priced": true}); err != nil {
			return "", err
		}
		if isNew, err := task.Patched(ctx, "fraud-check"); err != nil || !isNew {
			return "", err
		}
		if err := task.Suspend(ctx, "return period", 14*24*time.Hour); err != nil {
			return "", err
		}
		note, isApproved, err := hapax.AwaitSignal[string](ctx, task, hapax.Wait{Name: "approval", Timeout: time.Hour})
		if err != nil {
			return "", err
		}
		if _, isPaid, err := hapax.AwaitSignal[string](ctx, task, hapax.Wait{Name: "paid", Timeout: time.Hour}); err != nil || isPaid {
			return "", err
		}
		_, err = hapax.Record(ctx, task, "pay", b.body, hapax.AtMostOnce())
		return fmt.Sprint(o.ID, note, isApproved), err
	})
}

func given() Given {
	busy := errors.New("busy")
	return Given{
		Signals:  []Signal{{Type: "other"}, {Type: "approval", Payload: "yes"}},
		Failures: map[string][]error{"llm": {busy, busy}, "item/a/price": {hapax.Fail(hapax.RetryableFailure, "BUSY", "busy")}},
	}
}

func TestRunWorkflow(t *testing.T) {
	b := bodies{}
	did, err := RunWorkflow(fulfil(b), order{"4711", []string{"a", "b"}}, given())
	if err != nil || did.Result != "4711yestrue" {
		t.Errorf("the result must be that of the code (was %v, %v)", did.Result, err)
	}
	var names []string
	for _, part := range did.Parts {
		names = append(names, part.Name)
	}
	expected := "llm llm#2 item/a/price item/b/price state patched/fraud-check return period approval paid.deadline paid pay"
	if strings.Join(names, " ") != expected {
		t.Errorf("the parts must be %s (was %s)", expected, names)
	}
	for key, times := range b {
		if times != 1 {
			t.Errorf("body %s must run once (ran %d times)", key, times)
		}
	}
	if expected := 10*time.Second + 20*time.Second + time.Second + 14*24*time.Hour + time.Hour; did.Slept != expected {
		t.Errorf("it must sleep %s (was %s)", expected, did.Slept)
	}
	if last := did.Parts[len(did.Parts)-1]; last != (Part{"pay", `"done"`}) {
		t.Errorf("the last part must have its value (was %v)", last)
	}
}

func TestRunWorkflowThatFails(t *testing.T) {
	pay := func(retry hapax.Retry) *hapax.Workflow[string, string] {
		return hapax.NewWorkflow("pay", hapax.WorkflowOptions{PartRetry: &retry}, func(ctx context.Context, task *hapax.Task, _ string) (string, error) {
			return hapax.Record(ctx, task, "pay", bodies{}.body)
		})
	}
	busy, declined := hapax.Fail(hapax.RetryableFailure, "BUSY", "try later"), hapax.Fail(hapax.FinalFailure, "DECLINED", "no money")
	for _, each := range []struct {
		retry    hapax.Retry
		failures []error
		code     string
		slept    time.Duration
	}{
		{hapax.Retry{MaxAttempts: 2}, []error{busy}, "", time.Second},
		{hapax.Retry{MaxAttempts: 2}, []error{busy, busy}, "BUSY", time.Second},
		{hapax.Retry{}, []error{busy, declined}, "DECLINED", time.Second},
		{hapax.Retry{NonRetryable: []string{"BUSY"}}, []error{busy}, "BUSY", 0},
		{hapax.Retry{RetryOnly: []string{"OTHER"}}, []error{busy}, "BUSY", 0},
		{hapax.Retry{Factor: 3, Max: 4 * time.Second}, []error{busy, busy, busy}, "", 8 * time.Second},
		{hapax.Retry{MaxAttempts: -1, GiveUpAfter: 5 * time.Second}, []error{busy, busy, busy, busy}, "BUSY", 3 * time.Second},
		{hapax.Retry{}, []error{&hapax.Error{Kind: hapax.RetryableFailure, FailureCode: "BUSY", RetryAfter: time.Minute}}, "", time.Minute},
	} {
		did, err := RunWorkflow(pay(each.retry), "", Given{Failures: map[string][]error{"pay": each.failures}})
		code := ""
		var failed *hapax.Error
		if errors.As(err, &failed) && errors.Is(err, hapax.RunFailed) {
			code = failed.FailureCode
		}
		if code != each.code || err != nil && code == "" || did.Slept != each.slept {
			t.Errorf("%v must end with %q after %s (was %v after %s)", each.retry, each.code, each.slept, err, did.Slept)
		}
	}
	if _, err := RunWorkflow(pay(hapax.Retry{}), "", Given{Failures: map[string][]error{"pya": {busy}}}); err == nil || !strings.Contains(err.Error(), `"pya"`) {
		t.Errorf("a part that does not run must be an error (was %v)", err)
	}
	executions := 0
	flaky := hapax.NewWorkflow("flaky", hapax.WorkflowOptions{}, func(_ context.Context, task *hapax.Task, _ any) (int32, error) {
		if executions++; executions < 3 {
			return 0, busy
		}
		return task.Attempt, nil
	})
	if did, err := RunWorkflow(flaky, nil, Given{}); err != nil || did.Result != 3 || did.Slept != 3*time.Second {
		t.Errorf("the third execution must return (was %v, %v)", did, err)
	}
	waits := hapax.NewWorkflow("waits", hapax.WorkflowOptions{}, func(ctx context.Context, task *hapax.Task, _ any) (string, error) {
		value, _, err := hapax.AwaitSignal[string](ctx, task, hapax.Wait{Name: "bank", Hook: "webhook"})
		return value, err
	})
	if _, err := RunWorkflow(waits, nil, Given{}); err == nil || !strings.Contains(err.Error(), `hook "webhook"`) {
		t.Errorf("a signal that is not given must be an error (was %v)", err)
	}
	if did, err := RunWorkflow(waits, nil, Given{Signals: []Signal{{Hook: "webhook", Type: "x", Payload: "paid"}}}); err != nil || did.Result != "paid" {
		t.Errorf("the signal must come through its hook (was %v, %v)", did, err)
	}
}

// The parts are those of the same run on a server [U9].
func TestPartsAsOnServer(t *testing.T) {
	i := start(t)
	workflow := fulfil(bodies{})
	did, err := RunWorkflow(workflow, order{"4711", []string{"a", "b"}}, given())
	if err != nil {
		t.Fatal(err)
	}
	i.Work(hapax.Worker{Workflows: []hapax.AnyWorkflow{workflow}})
	id := run(t, i, workflow, order{"4711", []string{"a", "b"}})
	if _, err := i.Client.Runs.Signal(context.Background(), id, hapax.Signal{Type: "approval", Payload: "yes"}); err != nil {
		t.Fatal(err)
	}
	i.Advance(15 * 24 * time.Hour)
	if result := ended(t, i, workflow, id); result != did.Result {
		t.Errorf("the results must be equal (was %s and %s)", did.Result, result)
	}
	if onServer := partsOf(t, i, id); !reflect.DeepEqual(withoutFences(onServer), withoutFences(did.Parts)) {
		t.Errorf("the parts must be those of the server:\n%v\n%v", onServer, did.Parts)
	}
}

// partsOf returns the parts that a run has recorded.
func partsOf(t *testing.T, i *Instance, run string) (parts []Part) {
	t.Helper()
	request, response := &hapaxv1.ListRunEventsRequest{RunId: run, PageSize: 500}, &hapaxv1.ListRunEventsResponse{}
	if err := i.Client.Call(context.Background(), "RunService/ListRunEvents", request, response); err != nil {
		t.Fatal(err)
	}
	for _, event := range response.GetEvents() {
		if recorded := event.GetStepRecorded(); recorded != nil {
			parts = append(parts, Part{recorded.GetName(), recorded.GetOutput().GetJson()})
		}
	}
	return parts
}

// withoutFences leaves the day of the end of waits: the rest depends on the machine.
func withoutFences(parts []Part) (same []Part) {
	for _, part := range parts {
		if strings.HasPrefix(part.JSON, `"20`) {
			part.JSON = part.JSON[:len(`"2026-01-15`)]
		}
		same = append(same, part)
	}
	return same
}

// sequence is a worker whose step records parts of these names.
func sequence(names ...string) hapax.Worker {
	return hapax.Worker{Steps: map[string]hapax.Handler{"main": func(ctx context.Context, task *hapax.Task) (any, error) {
		for _, name := range names {
			if name == "fraud-check" {
				if isNew, err := task.Patched(ctx, name); err != nil {
					return nil, err
				} else if !isNew {
					continue
				}
			}
			if wait := strings.TrimPrefix(name, "wait "); wait != name {
				if err := task.Suspend(ctx, wait, time.Hour); err != nil {
					return nil, err
				}
				continue
			}
			if _, err := hapax.Record(ctx, task, name, func(context.Context, string) (string, error) { panic("a body runs") }); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}}
}

// exported returns a file of runs that have recorded parts of these names.
func exported(t *testing.T, runs ...[]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	var lines strings.Builder
	for n, names := range runs {
		task := &hapaxv1.Task{
			Run:  &hapaxv1.Run{Id: fmt.Sprint("run-", n), Definition: "order"},
			Step: &hapaxv1.Step{Id: "step", Name: "main", Attempt: 1},
		}
		for _, name := range names {
			record, err := hapax.Payload("done")
			if err != nil {
				t.Fatal(err)
			}
			task.Recorded = append(task.Recorded, &hapaxv1.RecordedStep{Name: name, Output: record})
		}
		line, err := protojson.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		lines.WriteString(strings.ReplaceAll(string(line), "\n", "") + "\n")
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Code that does not fit is found before it is deployed [U10].
func TestFits(t *testing.T) {
	file := exported(t, []string{"price", "pay"}, nil, []string{"price"})
	for _, each := range []struct {
		what   string
		worker hapax.Worker
		text   string // "" = it fits
	}{
		{"unchanged", sequence("price", "pay", "mail"), ""},
		{"renamed", sequence("price", "charge"), "1 of 3 runs do not fit:\nrun-0: records `pay` is not asked for before `charge`"},
		{"inserted", sequence("check", "price", "pay"), "2 of 3 runs do not fit:\nrun-0: records `price`, `pay` are not asked for before `check`\nrun-2: "},
		{"inserted wait", sequence("price", "wait night", "pay"), "run-0: records `pay` is not asked for before `night`"},
		{"patched", sequence("fraud-check", "price", "pay", "mail"), ""},
		{"appended", sequence("price", "pay", "wait night", "mail"), ""},
		{"swapped", sequence("pay", "price"), "1 of 3 runs do not fit:\nrun-2: records `price` is not asked for before `pay`"},
		{"became a wait", sequence("wait price"), "the recorded step price is not a wait"},
		{"no handler", hapax.Worker{Steps: map[string]hapax.Handler{"other": nil}}, "no handler for step main of order"},
	} {
		err := Fits(each.worker, file)
		if isFit := err == nil; isFit != (each.text == "") || !isFit && !strings.Contains(err.Error(), each.text) {
			t.Errorf("%s: the error must have %q (was %v)", each.what, each.text, err)
		}
	}
	if err := Fits(sequence(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist must be an error")
	}
	if err := os.WriteFile(file, []byte("{}\nno task\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Fits(sequence(), file); err == nil || !strings.Contains(err.Error(), "line 2 of ") {
		t.Errorf("the error must name the line (was %v)", err)
	}
}
