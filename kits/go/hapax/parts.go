package hapax

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"hapax.dev/kits/go/hapaxv1"
)

const longestElapsed, longestRetryAfter = 24 * time.Hour, 30 * 24 * time.Hour

// ErrNotDone is what a function that verifies returns if there was no effect: the body runs again.
var ErrNotDone = errors.New("the part has not taken effect")

// PartFailed is the error of a part that failed for good. Each later execution gets it, too. Test for it by errors.As.
// Hapax fails the run with it, unless the handler catches it.
type PartFailed struct {
	Part     string // the name of the part, with its scope
	Code     string
	Message  string
	Attempts int32
}

func (p *PartFailed) Error() string {
	return fmt.Sprintf("part %s failed for good (attempt %d): %s %s", p.Part, p.Attempts, p.Code, p.Message)
}

// Unwrap makes it a FinalFailure.
func (p *PartFailed) Unwrap() error {
	return &Error{Kind: FinalFailure, FailureCode: p.Code, Message: p.Message, part: p.Part}
}

// PartOption is an option of Record: Retry, Timeout or AtMostOnce.
type PartOption interface{ applyTo(p *part) }

// Retry says how often the body of a part is tried, and when. What is 0 is as part_retry of the code step says, or as
// Hapax does: 8 attempts, the first retry after about 1 s, then twice as long each time, up to 60 s. Hapax counts, so the
// attempts survive a crash. A pause of more than 5 s holds no worker.
type Retry struct {
	MaxAttempts  int32         // -1 = no limit
	Initial      time.Duration // the longest time before the first retry
	Max          time.Duration // the longest time before any retry
	Factor       float64       // by which the time grows
	NonRetryable []string      // codes of failures that end the part
	RetryOnly    []string      // codes of the only failures that are retried
	GiveUpAfter  time.Duration // since the first failure
}

func (r Retry) applyTo(p *part) { p.retry = r.message() }

func (r *Retry) message() *hapaxv1.RetryPolicy {
	if r == nil {
		return nil
	}
	return &hapaxv1.RetryPolicy{
		MaxAttempts: r.MaxAttempts, Initial: duration(r.Initial), Max: duration(r.Max), Factor: r.Factor,
		NonRetryable: r.NonRetryable, RetryOnly: r.RetryOnly, GiveUpAfter: duration(r.GiveUpAfter),
	}
}

// Timeout ends the context of a body. The attempt fails with the code PART_TIMEOUT when the body has returned.
type Timeout time.Duration

func (t Timeout) applyTo(p *part) { p.timeout = time.Duration(t) }

// AtMostOnce lets the body of a part run only if it is certain that no earlier one took effect: Hapax stores the beginning
// first. A failure that the body returns means that there was no effect. After a crash or a timeout the part is in doubt.
// Then verify decides, if it is given: it gets the key of the part, and returns the value of the part, or ErrNotDone if
// there was no effect and will be none. Without it the run fails with UNKNOWN_EFFECT until an operator settles the part.
func AtMostOnce(verify ...func(ctx context.Context, key string) (any, error)) PartOption {
	return atMostOnce(verify)
}

type atMostOnce []partFunction

// partFunction is a body, or what verifies.
type partFunction = func(ctx context.Context, key string) (any, error)

func (a atMostOnce) applyTo(p *part) {
	p.atMostOnce = true
	for _, verify := range a {
		p.verify = verify
	}
}

// part is a part of a code step in this execution.
type part struct {
	task       *Task
	use        *use
	name       string
	key        string
	body       partFunction
	changes    map[string]any // of the state, that go with its output
	retry      *hapaxv1.RetryPolicy
	timeout    time.Duration
	atMostOnce bool
	verify     partFunction
	attempt    int32 // the current or next one
	isBegun    bool  // by this claim
}

// Record returns what the body returned when it ran first. In later executions it does not run. The body gets the id of this
// part, the same each time: hand it to what it calls as its idempotency key. A name must not be empty, have a / or end in #
// and digits. The second use of a name is another part, named name#2.
//
// A body that fails is tried again, by the options and after a pause. When the attempts are used up, or after a FinalFailure,
// the error is a PartFailed. ErrSuspended means that the next attempt is later: return it from the handler. After the
// end of the handler Record returns an error.
func Record[T any](ctx context.Context, t *Task, name string, body func(ctx context.Context, key string) (T, error), options ...PartOption) (value T, err error) {
	p := &part{task: t, body: func(ctx context.Context, key string) (any, error) { return body(ctx, key) }}
	for _, option := range options {
		option.applyTo(p)
	}
	output, err := p.record(ctx, name)
	if err != nil {
		return value, err
	}
	err = t.client.Decode(ctx, output, &value)
	return value, err
}

func (p *part) record(ctx context.Context, name string) (*hapaxv1.Payload, error) {
	t := p.task
	if err := t.beginPart(); err != nil {
		return nil, err
	}
	defer t.endPart()
	var err error
	if p.use, err = t.use(name); err != nil {
		return nil, err
	}
	p.name, p.key, p.attempt = p.use.name, t.StepID+"/"+p.use.name, 1
	record, open, err := t.execution.find(ctx, p.name)
	if err != nil {
		return nil, err
	}
	if record != nil {
		t.execution.forget(p.changes)
		return record.GetOutput(), t.answered(p.use, record, false)
	}
	if err := t.depart(p.use); err != nil {
		return nil, err
	}
	defer t.arrive(p.use)
	result, err := p.resume(ctx, open)
	for err == nil {
		switch outcome := result.GetOutcome().(type) {
		case *hapaxv1.PartResult_Recorded:
			return outcome.Recorded.GetOutput(), nil
		case *hapaxv1.PartResult_Failed:
			result, err = p.again(ctx, outcome.Failed)
		case *hapaxv1.PartResult_Begun:
			if p.isBegun = !outcome.Begun.GetInDoubt(); p.isBegun {
				result, err = p.run(ctx)
			} else {
				result, err = p.resolve(ctx)
			}
		default:
			result, err = p.run(ctx)
		}
	}
	return nil, err
}

// resume returns the result of what was done before; nil = the body may run.
func (p *part) resume(ctx context.Context, open *hapaxv1.OpenPart) (*hapaxv1.PartResult, error) {
	t := p.task
	if open == nil {
		if err := t.fit(p.name); err != nil {
			return nil, err
		}
		return p.begin(ctx)
	}
	switch open.GetState() {
	case hapaxv1.PartState_PART_STATE_FAILED:
		return nil, p.failed(open.GetFailure(), open.GetAttempts())
	case hapaxv1.PartState_PART_STATE_BEGUN:
		p.attempt = open.GetAttempts()
		return p.resolve(ctx)
	case hapaxv1.PartState_PART_STATE_RETRY:
		p.attempt = open.GetAttempts() + 1
		if due := open.GetDueAt().AsTime(); t.execution.now().Before(due) {
			return nil, t.pause(due, nil)
		}
		return p.begin(ctx)
	default:
		text := fmt.Sprintf("part %s has the state %s, which this package does not know; upgrade it", p.name, open.GetState())
		return nil, t.execution.release(nil, text)
	}
}

// begin stores the beginning of a part that runs at most once.
func (p *part) begin(ctx context.Context) (*hapaxv1.PartResult, error) {
	if !p.atMostOnce {
		return nil, nil
	}
	return p.task.execution.sendOne(ctx, p.use, p.beginning())
}

func (p *part) beginning() *hapaxv1.PartRecord {
	return &hapaxv1.PartRecord{Name: p.name, Result: &hapaxv1.PartRecord_Begin{Begin: &emptypb.Empty{}}}
}

func (p *part) failing(failure *hapaxv1.PartFailure) *hapaxv1.PartRecord {
	failure.Attempt = p.attempt
	return &hapaxv1.PartRecord{Name: p.name, Result: &hapaxv1.PartRecord_Failure{Failure: failure}}
}

// resolve finds out what became of a part that another grant has begun.
func (p *part) resolve(ctx context.Context) (*hapaxv1.PartResult, error) {
	e := p.task.execution
	if p.verify == nil {
		text := fmt.Sprintf("another worker began part %s, and it is unknown whether it took effect; an operator must settle it", p.name)
		return nil, e.fail(&Error{Kind: UnknownEffect, FailureCode: "UNKNOWN_EFFECT", Message: text}, p.name)
	}
	value, err := p.call(ctx, p.verify)
	var output *hapaxv1.Payload
	switch {
	case errors.Is(err, ErrNotDone):
		failure := &hapaxv1.PartFailure{Failure: &hapaxv1.Failure{Code: "NOT_DONE", Message: "verify found no effect"}, Retry: p.retry}
		results, err := e.send(ctx, &report{records: []*hapaxv1.PartRecord{p.failing(failure), p.beginning()}})
		if err != nil {
			return nil, err
		}
		if first := results[0].GetFailed(); first != nil && first.GetRetryAt() == nil {
			return results[0], nil
		}
		p.attempt++
		return results[1], nil
	case err == nil:
		output, err = p.payload(ctx, value)
	}
	if err != nil {
		return nil, e.fail(asError(err), p.name)
	}
	return e.sendOne(ctx, p.use, outputOf(p.name, output))
}

// call runs a function of the user. A panic is an error of it.
func (p *part) call(ctx context.Context, function partFunction) (any, error) {
	if err := p.task.client.beforePart(p.name); err != nil {
		return nil, err
	}
	return p.task.client.guarded(ctx, p.task.Claim, func(ctx context.Context, _ *Claim) (any, error) { return function(ctx, p.key) })
}

func (p *part) payload(ctx context.Context, value any) (*hapaxv1.Payload, error) {
	output, err := p.task.client.payload(ctx, value)
	if err != nil && !errors.Is(err, Unavailable) {
		err = Fail(FinalFailure, "RESULT_REFUSED", fmt.Sprintf("%s was done, but its result cannot be stored: %v", p.name, err))
	}
	return output, err
}

// run runs the body, and reports what came of it.
func (p *part) run(ctx context.Context) (*hapaxv1.PartResult, error) {
	e := p.task.execution
	inTime := ctx
	if p.timeout > 0 {
		var stop context.CancelFunc
		inTime, stop = context.WithTimeout(ctx, p.timeout)
		defer stop()
	}
	began := time.Now()
	value, err := p.call(inTime, p.body)
	elapsed := least(time.Since(began), longestElapsed)
	if err != nil {
		return p.report(ctx, err, inTime.Err())
	}
	output, err := p.payload(detached{ctx}, value)
	if err != nil {
		return nil, err
	}
	record := outputOf(p.name, output)
	record.Elapsed = durationpb.New(elapsed)
	results, err := e.send(ctx, &report{records: []*hapaxv1.PartRecord{record}, use: p.use, changes: p.changes})
	if err != nil {
		return nil, err
	}
	if results[0].GetBegun() != nil {
		return nil, failed(UnknownAnswer, nil, "Hapax answered the result of part %s as if it had none; upgrade this package", p.name)
	}
	return results[0], nil
}

// report reports the failure of a body. A body whose context was cancelled has not failed.
func (p *part) report(ctx context.Context, err, late error) (*hapaxv1.PartResult, error) {
	e := p.task.execution
	var declared *Error
	isDeclared := errors.As(err, &declared) && declared.Kind.isFailure()
	switch {
	case p.task.isInterrupted(err) || p.task.Claim.Err() != nil || ctx.Err() != nil && !isDeclared:
		return nil, err
	case isDeclared && declared.Kind == UnknownEffect:
		var records []*hapaxv1.PartRecord
		if !p.isBegun {
			records = append(records, p.beginning())
		}
		return nil, e.fail(asError(err), p.name, records...)
	case late != nil && !isDeclared:
		err = &Error{Kind: RetryableFailure, FailureCode: "PART_TIMEOUT", cause: err,
			Message: fmt.Sprintf("part %s did not end within %s: %v", p.name, p.timeout, err)}
		if p.atMostOnce {
			return nil, e.fail(err.(*Error), p.name)
		}
	}
	e.client.logf("hapax: attempt %d of part %s of %s failed: %v", p.attempt, p.name, p.task.RunID, err)
	failure := &hapaxv1.PartFailure{Failure: failure(err), Retry: p.retry, RetryAfter: retryAfter(err)}
	failure.Failure.Part = ""
	if failure.Failure.Stack == "" {
		failure.Failure.Stack = cut(clean(string(debug.Stack())), maxStack) // of the call of Record: an error has none
	}
	failure.Kind = hapaxv1.FailureKind_FAILURE_KIND_RETRYABLE
	if kindOf(err) == FinalFailure {
		failure.Kind = hapaxv1.FailureKind_FAILURE_KIND_FINAL
	}
	return e.sendOne(ctx, p.use, p.failing(failure))
}

// isInterrupted says whether the error is that of the end of the execution, which a durable call in a body returned.
func (t *Task) isInterrupted(err error) bool {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	return errors.Is(err, ErrSuspended) || t.execution.ending != nil && errors.Is(err, t.execution.ending.err)
}

// again waits for the next attempt: in place if the pause is short.
func (p *part) again(ctx context.Context, last *hapaxv1.PartFailed) (*hapaxv1.PartResult, error) {
	if last.GetRetryAt() == nil {
		return nil, p.failed(last.GetFailure(), last.GetAttempts())
	}
	pause := last.GetRetryIn().AsDuration()
	if !last.GetHold() {
		return nil, p.task.pause(p.task.execution.now().Add(pause), nil)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.task.execution.held.Done():
		return nil, lost(p.task.Claim.reason())
	}
	p.attempt, p.isBegun = last.GetAttempts()+1, false
	return p.begin(ctx)
}

func (p *part) failed(f *hapaxv1.Failure, attempts int32) error {
	return &PartFailed{Part: p.name, Code: f.GetCode(), Message: f.GetMessage(), Attempts: attempts}
}

// asError returns an error of this package that stands for the one of a function.
func asError(err error) *Error {
	f := failure(err)
	return &Error{Kind: kindOf(err), FailureCode: f.GetCode(), Message: f.GetMessage(), stack: f.GetStack(), RetryAfter: retryAfter(err).AsDuration(), cause: err}
}

// retryAfter returns the delay that a RetryableFailure asks for, nil if it asks for none.
func retryAfter(err error) *durationpb.Duration {
	var known *Error
	if !errors.As(err, &known) || known.Kind != RetryableFailure {
		return nil
	}
	return duration(least(known.RetryAfter, longestRetryAfter))
}
