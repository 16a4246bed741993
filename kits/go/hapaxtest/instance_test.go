package hapaxtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapax.dev/kits/go/hapax"
)

var fortnight = hapax.NewWorkflow("fortnight", hapax.WorkflowOptions{Queue: "orders"},
	func(ctx context.Context, task *hapax.Task, order string) (string, error) {
		if err := task.Suspend(ctx, "return period", 14*24*time.Hour); err != nil {
			return "", err
		}
		return hapax.Record(ctx, task, "ship", func(context.Context, string) (string, error) { return "shipped " + order, nil })
	})

// start skips the test without a server: the race tests of a build have none. CI sets HAPAX_HOME.
func start(t *testing.T) *Instance {
	t.Helper()
	if os.Getenv("HAPAX_HOME")+os.Getenv("HAPAX_TEST_SERVER") == "" {
		t.Skip("needs HAPAX_HOME or HAPAX_TEST_SERVER")
	}
	return Start(t)
}

// ended returns the result of a run that has ended.
func ended[I, O any](t *testing.T, i *Instance, workflow *hapax.Workflow[I, O], run string) O {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	result, err := workflow.Result(ctx, i.Client, run)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func run[I, O any](t *testing.T, i *Instance, workflow *hapax.Workflow[I, O], input I) string {
	t.Helper()
	started, err := workflow.Start(context.Background(), i.Client, input, hapax.NewRun{})
	if err != nil {
		t.Fatal(err)
	}
	return started.GetRun().GetId()
}

// Fourteen days, without a sleep [U1].
func TestFourteenDays(t *testing.T) {
	i := start(t)
	i.Work(hapax.Worker{Workflows: []hapax.AnyWorkflow{fortnight}})
	id := run(t, i, fortnight, "4711")
	i.Advance(14*24*time.Hour - time.Minute)
	if state, err := i.Client.Runs.Get(context.Background(), id); err != nil || state.GetEndedAt() != nil {
		t.Errorf("the run must wait (was %v, %v)", state, err)
	}
	i.Advance(time.Minute)
	if result := ended(t, i, fortnight, id); result != "shipped 4711" {
		t.Errorf("the order must be shipped (was %s)", result)
	}
}

// An execution that fails after a wait finds the wait over, by the clock of the server.
func TestFailureAfterWait(t *testing.T) {
	i, executions := start(t), 0
	flaky := hapax.NewWorkflow("flaky", hapax.WorkflowOptions{Queue: "orders"},
		func(ctx context.Context, task *hapax.Task, _ any) (int, error) {
			if err := task.Suspend(ctx, "night", 8*time.Hour); err != nil {
				return 0, err
			}
			if executions++; executions == 1 {
				return 0, hapax.Fail(hapax.RetryableFailure, "BUSY", "")
			}
			return executions, nil
		})
	i.Work(hapax.Worker{Workflows: []hapax.AnyWorkflow{flaky}})
	id := run(t, i, flaky, nil)
	i.Advance(9 * time.Hour)
	if result := ended(t, i, flaky, id); result != 2 {
		t.Errorf("the second execution must return (was %d)", result)
	}
}

func TestSettle(t *testing.T) {
	i := start(t)
	i.Work(hapax.Worker{Workflows: []hapax.AnyWorkflow{fortnight}})
	id := run(t, i, fortnight, "4711")
	i.Settle()
	state, err := i.Client.Runs.Get(context.Background(), id)
	if err != nil || state.GetStatus().String() != "RUN_STATUS_WAITING" {
		t.Errorf("the run must wait (was %v, %v)", state, err)
	}
}

// An instance has data of its own.
func TestInstancesAreApart(t *testing.T) {
	first, second := start(t), start(t)
	for _, each := range []*Instance{first, second} {
		isNew, err := each.Client.Definitions.Register(context.Background(), `{"name": "order", "steps": [{"name": "wait", "timer": {"duration": "14d"}}], "version": "1"}`)
		if err != nil || !isNew {
			t.Errorf("the definition must be new (was %v, %v)", isNew, err)
		}
	}
	_, err := first.Client.Definitions.Register(context.Background(), map[string]any{"name": "order", "version": "2", "steps": []any{map[string]any{"name": "a"}}})
	if err == nil || !strings.Contains(err.Error(), "steps[0]") {
		t.Errorf("the error must name the path (was %v)", err)
	}
	definition, err := first.Client.Definitions.Get(context.Background(), "order", "")
	if err != nil || definition.GetVersion() != "1" {
		t.Errorf("the definition must be version 1 (was %v, %v)", definition, err)
	}
}

// The process of the test server ends with its input.
func TestLaunch(t *testing.T) {
	home := t.TempDir()
	ended := filepath.Join(home, "ended")
	script := "#!/bin/sh\necho $1 127.0.0.1:1\ncat >/dev/null\nmkdir " + ended + "\n"
	if err := os.WriteFile(filepath.Join(home, "hapax"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"HAPAX_HOME", "PATH"} {
		t.Setenv("HAPAX_HOME", "")
		t.Setenv(path, home+map[string]string{"PATH": ":" + os.Getenv("PATH")}[path])
		address, input, err := launch()
		if err != nil || address != "test-server 127.0.0.1:1" {
			t.Fatalf("the address must be the first line (was %s, %v)", address, err)
		}
		_ = input.Close()
		for end := time.Now().Add(20 * time.Second); os.Remove(ended) != nil; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the process must end with its input")
			}
		}
	}
}

func TestNoTestServer(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HAPAX_HOME", "")
	t.Setenv("PATH", home)
	if _, _, err := launch(); err == nil || !strings.HasPrefix(err.Error(), "no test server found: set HAPAX_HOME") {
		t.Errorf("the error must say what to set (was %v)", err)
	}
	t.Setenv("HAPAX_HOME", home)
	if _, _, err := launch(); err == nil || !strings.Contains(err.Error(), "check HAPAX_HOME") {
		t.Errorf("the error must name HAPAX_HOME (was %v)", err)
	}
	if err := os.WriteFile(filepath.Join(home, "hapax"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := launch(); err == nil || !strings.Contains(err.Error(), "ended before it served (exit status 3)") {
		t.Errorf("the error must have the exit status (was %v)", err)
	}
}
