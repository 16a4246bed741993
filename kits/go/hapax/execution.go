package hapax

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hapax.dev/kits/go/hapaxv1"
)

const maxNamedRecords = 10

// execution is what the tasks of one execution share: that of the handler, and those of the branches of Map. The mutex of
// the claim guards it.
type execution struct {
	client  *Client
	claim   *Claim
	held    context.Context // ends when the claim is lost
	paging  sync.Mutex      // held while a page of records is read
	page    string          // the token of the next page; empty = all records are known
	records map[string]*hapaxv1.RecordedStep
	earlier []*hapaxv1.RecordedStep // of earlier executions, in their order, without those that were asked for first
	open    map[string]*hapaxv1.OpenPart
	asked   map[string]bool // the names that this execution has used
	signals []*hapaxv1.Signal
	changes map[string]any // of the state, which are not sent yet

	reports   []*report // that wait to be sent
	isSending bool

	ahead        time.Duration // of the clock of the server
	onCodeChange OnCodeChange
	warn         func(text string)

	isWaiting bool // a wait has begun, so no further part does
	hasEnded  bool
	ending    *ending
}

// ending is how an execution ends, whatever its handler returns. Of several the strongest counts.
type ending struct {
	err       error // what durable calls return from then on
	isFailure bool
	parts     []*hapaxv1.PartRecord // sent with the failure
	isRelease bool
	reason    *hapaxv1.Failure // of the release
	until     time.Time        // of the suspension, by the clock of the server; zero = none
	filter    *hapaxv1.SignalFilter
}

func (e *ending) rank() int {
	switch {
	case e.isFailure:
		return 2
	case e.isRelease:
		return 1
	}
	return 0
}

func newExecution(client *Client, message *hapaxv1.Task, claim *Claim, held context.Context) *execution {
	e := &execution{
		client: client, claim: claim, held: held, page: message.GetMoreRecordedToken(), signals: message.GetSignals(),
		records: map[string]*hapaxv1.RecordedStep{}, open: map[string]*hapaxv1.OpenPart{}, asked: map[string]bool{},
		changes: map[string]any{}, warn: func(string) {},
	}
	e.know(message.GetRecorded())
	for _, part := range message.GetOpenParts() {
		e.open[part.GetName()] = part
	}
	return e
}

// know adds records of earlier executions.
func (e *execution) know(records []*hapaxv1.RecordedStep) {
	for _, record := range records {
		e.records[record.GetName()] = record
	}
	e.earlier = append(e.earlier, records...)
}

// end lets the execution end, and returns the error of its durable calls. It needs the mutex.
func (e *execution) end(by *ending) error {
	switch {
	case e.ending == nil || by.rank() > e.ending.rank():
		e.ending = by
	case by.rank() == 0 && e.ending.rank() == 0:
		if !by.until.IsZero() && (e.ending.until.IsZero() || by.until.Before(e.ending.until)) {
			e.ending.until = by.until
		}
		if e.ending.filter == nil {
			e.ending.filter = by.filter
		}
	}
	return e.ending.err
}

// fail ends the execution by a failure of this part.
func (e *execution) fail(err *Error, part string, records ...*hapaxv1.PartRecord) error {
	err.part = part
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	return e.end(&ending{err: err, isFailure: true, parts: records})
}

// release gives the task back, for another worker.
func (e *execution) release(reason *hapaxv1.Failure, text string) error {
	err := &Error{Kind: RetryableFailure, FailureCode: reason.GetCode(), Message: text}
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	return e.end(&ending{err: err, isRelease: true, reason: reason})
}

// find returns what is known of a part. Records that did not fit into the task are read when a name is missing.
func (e *execution) find(ctx context.Context, name string) (*hapaxv1.RecordedStep, *hapaxv1.OpenPart, error) {
	e.paging.Lock()
	defer e.paging.Unlock()
	for {
		e.claim.mutex.Lock()
		record, open, page := e.records[name], e.open[name], e.page
		e.claim.mutex.Unlock()
		if record != nil || open != nil || page == "" {
			return record, open, nil
		}
		if err := e.read(ctx, page); err != nil {
			return nil, nil, err
		}
	}
}

func (e *execution) read(ctx context.Context, page string) error {
	response := &hapaxv1.ListRecordsResponse{}
	request := &hapaxv1.ListRecordsRequest{Claim: e.claim.message, PageToken: page}
	if _, err := e.client.record(ctx, "WorkerService/ListRecords", request, response); err != nil {
		return err
	}
	if over := response.GetClaimLost(); over != nil {
		e.claim.revoke(lostReason(over))
		return e.claim.revoked()
	}
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	e.know(response.GetRecorded())
	e.page = response.GetNextPageToken()
	return nil
}

// patch takes the changes of the state, which go with one call. It needs the mutex.
func (e *execution) patch() (map[string]any, *hapaxv1.Payload, error) {
	if len(e.changes) == 0 {
		return nil, nil, nil
	}
	changes := e.changes
	payload, err := Payload(changes)
	e.changes = map[string]any{}
	return changes, payload, err
}

// lastPatch takes the changes that go with the end of the execution.
func (e *execution) lastPatch() (*hapaxv1.Payload, error) {
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	_, patch, err := e.patch()
	return patch, err
}

// unasked returns the records of earlier executions that this one has not asked for.
func (e *execution) unasked() (names []string) {
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	for _, record := range e.earlier {
		if !e.asked[record.GetName()] {
			names = append(names, record.GetName())
		}
	}
	return names
}

// forget drops changes that are older than the record that an execution comes to.
func (e *execution) forget(changes map[string]any) {
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	for member := range changes {
		delete(e.changes, member)
	}
}

// restore keeps changes that were not stored. It needs the mutex.
func (e *execution) restore(changes map[string]any) {
	for member, value := range changes {
		if _, isChanged := e.changes[member]; !isChanged {
			e.changes[member] = value
		}
	}
}

// scope has the names of the parts of one task. Its names begin with the prefix, "" for the task of the handler.
type scope struct {
	prefix   string
	uses     map[string]int
	last     map[string]*use
	inFlight map[*use]bool
	answers  map[string]bool // of Patched
	pausedTo time.Time       // when this branch goes on; zero = it is not paused
}

func newScope(prefix string) *scope {
	return &scope{
		prefix: prefix, uses: map[string]int{}, last: map[string]*use{}, inFlight: map[*use]bool{}, answers: map[string]bool{},
	}
}

// use is one use of a name in this execution.
type use struct {
	name       string // in full
	number     int    // from 1
	former     *use   // of the same name
	overlapped bool   // another part of the scope was in flight meanwhile
}

func (u *use) isAmbiguous() bool {
	return u.number > 1 && (u.overlapped || u.former.overlapped)
}

func ambiguous(u *use) error {
	text := "%s overlapped another part, so the next execution could number it differently; use Map, or different names"
	return Fail(FinalFailure, "STEP_NAME_AMBIGUOUS", fmt.Sprintf(text, u.name))
}

// use takes a name in the scope of this task.
func (t *Task) use(name string) (*use, error) {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	s := t.scope
	if err := CheckPartName(name); err != nil {
		return nil, err
	}
	s.uses[name]++
	u := &use{name: s.prefix + name, number: s.uses[name], former: s.last[name]}
	if u.number > 1 {
		u.name = fmt.Sprintf("%s#%d", u.name, u.number)
	}
	if length := utf8.RuneCountInString(u.name); length > 255 {
		text := "a step name must have at most 255 characters with its scope (%s has %d)"
		return nil, Fail(FinalFailure, "STEP_NAME_INVALID", fmt.Sprintf(text, u.name, length))
	}
	s.last[name] = u
	t.execution.asked[u.name] = true
	return u, nil
}

// answered checks the use of a name that is recorded.
func (t *Task) answered(u *use, record *hapaxv1.RecordedStep, isWait bool) error {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	u.overlapped = record.GetOverlapped()
	switch {
	case record.GetIsWait() != isWait && isWait:
		return Fail(FinalFailure, "STEP_CHANGED", fmt.Sprintf("the recorded step %s is not a wait; keep step names stable", u.name))
	case record.GetIsWait() != isWait:
		return Fail(FinalFailure, "STEP_CHANGED", fmt.Sprintf("the recorded step %s is a wait; keep step names stable", u.name))
	case u.isAmbiguous():
		return ambiguous(u)
	}
	return nil
}

// depart is called before a part that is not recorded; arrive ends it.
func (t *Task) depart(u *use) error {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	for other := range t.scope.inFlight {
		u.overlapped, other.overlapped = true, true
		if other.isAmbiguous() {
			return ambiguous(other)
		}
	}
	if u.isAmbiguous() {
		return ambiguous(u)
	}
	t.scope.inFlight[u] = true
	return nil
}

func (t *Task) arrive(u *use) {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	delete(t.scope.inFlight, u)
}

// leftOver returns the records of earlier executions in this scope that this execution has not asked for, without those
// whose order means nothing. It needs the mutex.
func (t *Task) leftOver() (names []string) {
	e := t.execution
	for len(e.earlier) > 0 && e.asked[e.earlier[0].GetName()] {
		e.earlier = e.earlier[1:]
	}
	for _, record := range e.earlier {
		name := record.GetName()
		isHere := strings.HasPrefix(name, t.scope.prefix) && !strings.Contains(name[len(t.scope.prefix):], "/")
		if isHere && !record.GetOverlapped() && !e.asked[name] {
			names = append(names, name)
		}
	}
	return names
}

// fit returns an error if this code does not fit to the records, before it begins something new.
func (t *Task) fit(name string) error {
	t.Claim.mutex.Lock()
	names := t.leftOver()
	t.Claim.mutex.Unlock()
	if len(names) == 0 {
		return nil
	}
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	text := fmt.Sprintf("records %s %s not asked for before `%s`", listed(names), verb, name)
	switch t.execution.onCodeChange {
	case WarnOnCodeChange:
		t.execution.warn(text)
		return nil
	case FailOnCodeChange:
		return t.execution.fail(&Error{Kind: FinalFailure, FailureCode: "STEP_CHANGED", Message: text}, "")
	default:
		return t.execution.release(&hapaxv1.Failure{Code: "CODE_CHANGED", Message: cut(text, maxFailureMessage)}, text)
	}
}

func listed(names []string) string {
	more := ""
	if len(names) > maxNamedRecords {
		names, more = names[:maxNamedRecords], " …"
	}
	return "`" + strings.Join(names, "`, `") + "`" + more
}

// pause ends this execution until the time, or this branch of it, and returns the error for that.
func (t *Task) pause(until time.Time, filter *hapaxv1.SignalFilter) error {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	if t.scope.prefix == "" || t.execution.ending != nil {
		return t.execution.end(&ending{err: ErrSuspended, until: until, filter: filter})
	}
	if t.scope.pausedTo.IsZero() || until.Before(t.scope.pausedTo) {
		t.scope.pausedTo = until
	}
	return ErrSuspended
}

func (t *Task) beginPart() error {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	switch {
	case t.execution.ending != nil:
		return t.execution.ending.err
	case t.execution.isWaiting || !t.scope.pausedTo.IsZero():
		return ErrSuspended
	case t.execution.hasEnded:
		return fmt.Errorf("the handler of step %s has ended; wait for its goroutines before it returns", t.StepName)
	case t.Claim.isRevoked:
		return lost(t.Claim.lostReason)
	}
	t.Claim.parts++
	return nil
}

func (t *Task) endPart() {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.Claim.parts--
	t.Claim.changed.Broadcast()
}

// end refuses further parts, waits for those in progress unless Hapax reports the loss of the task, and returns how this
// execution ends, if something has decided that. Otherwise a body that is running could not be recorded, and would run again.
func (t *Task) end() *ending {
	t.Claim.mutex.Lock()
	defer t.Claim.mutex.Unlock()
	t.execution.hasEnded = true
	for t.Claim.parts > 0 && !t.Claim.isRevoked {
		t.Claim.changed.Wait()
	}
	return t.execution.ending
}

// now returns the time of the server, whose clock may be that of a test.
func (e *execution) now() time.Time { return e.client.now().Add(e.ahead) }
