package hapaxtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
)

var beginning = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Given is what a run of RunWorkflow finds.
type Given struct {
	Signals  []Signal           // in the inbox of the run, the oldest first
	Failures map[string][]error // by the full name of a part: what its first attempts return, instead of running the body
	Payloads hapax.PayloadStore // of payloads above 128 KiB
}

// Signal is a signal in the inbox of a run. Hook is the name of the hook through which it came.
type Signal struct {
	Type, Hook string
	Payload    any
}

// Execution is what RunWorkflow did.
type Execution[O any] struct {
	Result O
	Parts  []Part        // in the order of recording, with waits
	Slept  time.Duration // the sum of the waits and of the pauses before retries, which take no time
}

// Part is a recorded part or wait, with its full name. The JSON of a wait for a time says when it ends.
type Part struct{ Name, JSON string }

// RunWorkflow runs a workflow in this process until it ends, without a server. Its names, branches, patches and state are
// those of a worker. A part that fails is tried again by its options, after the longest pause that they allow. The error is
// RunFailed if the run fails, or if it waits without end for a signal that is not given.
func RunWorkflow[I, O any](workflow *hapax.Workflow[I, O], input I, given Given) (execution Execution[O], err error) {
	s := &simulated{task: &hapaxv1.Task{}, now: beginning, payloads: given.Payloads}
	if s.task.Input, err = hapax.Payload(input); err != nil {
		return execution, err
	}
	for n, signal := range given.Signals {
		message := &hapaxv1.Signal{SignalId: fmt.Sprint("signal-", n+1), Type: signal.Type, HookName: signal.Hook}
		if message.Payload, err = hapax.Payload(signal.Payload); err != nil {
			return execution, err
		}
		s.task.Signals = append(s.task.Signals, message)
	}
	attempts := map[string]int{}
	output, client, err := s.run(hapax.Worker{Workflows: []hapax.AnyWorkflow{workflow}}, func(part string) error {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		attempts[part]++
		if failures := given.Failures[part]; attempts[part] <= len(failures) {
			return failures[attempts[part]-1]
		}
		return nil
	})
	for _, record := range s.task.GetRecorded() {
		execution.Parts = append(execution.Parts, Part{record.GetName(), record.GetOutput().GetJson()})
	}
	execution.Slept = s.now.Sub(beginning)
	for name := range given.Failures {
		if err == nil && attempts[name] == 0 {
			err = fmt.Errorf("the workflow has not run part %q of Failures", name)
		}
	}
	if err == nil {
		err = client.Decode(context.Background(), output, &execution.Result)
	}
	return execution, err
}

// Fits checks the code of a worker against runs that older code has begun. Each line of the file is the task of a run, as
// `hapax run export` prints it. The handler runs over the records; no body runs, and the first new part or wait ends the run's
// check. The error names each run that does not fit, and says why. The Queues of the worker may be empty, and also its Client
// unless it has a store of payloads.
func Fits(worker hapax.Worker, file string) error {
	content, err := os.Open(file)
	if err != nil {
		return err
	}
	defer content.Close()
	if len(worker.Queues) == 0 {
		worker.Queues = []string{"any"}
	}
	worker.OnCodeChange = hapax.ReleaseOnCodeChange
	var unfit []string
	lines, runs := bufio.NewReader(content), 0
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			s := &simulated{task: &hapaxv1.Task{}, now: time.Now(), isCheck: true}
			if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(line, s.task); err != nil {
				return fmt.Errorf("line %d of %s is no task: %w; write it by `hapax run export`", number, file, err)
			}
			if worker.Client != nil {
				s.payloads = worker.Client.Payloads
			}
			runs++
			if err := s.check(worker); err != nil {
				unfit = append(unfit, fmt.Sprintf("%s: %v", s.task.GetRun().GetId(), err))
			}
		}
		if err != nil {
			break
		}
	}
	if len(unfit) > 0 {
		return fmt.Errorf("%d of %d runs do not fit:\n%s", len(unfit), runs, strings.Join(unfit, "\n"))
	}
	return nil
}

func (s *simulated) check(worker hapax.Worker) error {
	_, _, err := s.run(worker, func(string) error {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.isNew = true
		return hapax.ErrSuspended
	})
	return err
}
