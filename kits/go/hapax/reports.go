package hapax

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

const maxReported, maxReportedBytes = 100, 768 << 10

// report is what one durable call reports about its part.
type report struct {
	records []*hapaxv1.PartRecord
	use     *use           // knows whether the part overlapped; nil = the records say it
	changes map[string]any // of the state, that go with the records
	results []*hapaxv1.PartResult
	err     error
	done    chan struct{}
}

func (r *report) size() (size int) {
	for _, record := range r.records {
		size += proto.Size(record)
	}
	if len(r.changes) > 0 {
		size += maxPayload
	}
	return size
}

// send returns the results of the records when they are stored. Reports that arrive while a call is under way
// go together in the next one.
func (e *execution) send(ctx context.Context, r *report) (results []*hapaxv1.PartResult, err error) {
	r.done = make(chan struct{})
	e.claim.mutex.Lock()
	e.reports = append(e.reports, r)
	isFirst := !e.isSending
	e.isSending = true
	e.claim.mutex.Unlock()
	if isFirst {
		go e.sendAll(detached{ctx})
	}
	<-r.done
	return r.results, r.err
}

func (e *execution) sendAll(ctx context.Context) {
	for batch := e.nextBatch(); len(batch) > 0; batch = e.nextBatch() {
		e.sendBatch(ctx, batch)
		for _, r := range batch {
			close(r.done)
		}
	}
}

func (e *execution) nextBatch() []*report {
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	e.isSending = len(e.reports) > 0
	var count, size, taken int
	if len(e.changes) > 0 {
		size = maxPayload
	}
	for ; taken < len(e.reports); taken++ {
		count += len(e.reports[taken].records)
		size += e.reports[taken].size()
		if taken > 0 && (count > maxReported || size > maxReportedBytes) {
			break
		}
	}
	batch := e.reports[:taken:taken]
	e.reports = e.reports[taken:]
	return batch
}

func (e *execution) sendBatch(ctx context.Context, batch []*report) {
	request, changes, err := e.requestOf(batch)
	response := &hapaxv1.RecordStepResponse{}
	if err == nil {
		err = e.claim.revoked()
	}
	if err == nil {
		_, err = e.client.record(ctx, "WorkerService/RecordStep", request, response)
	}
	if over := response.GetClaimLost(); over != nil {
		e.claim.revoke(lostReason(over))
		err = e.claim.revoked()
	}
	results := response.GetParts().GetResults()
	if err == nil && len(results) != len(request.GetParts()) {
		err = failed(UnknownAnswer, nil, "Hapax answered %d records with %d results; upgrade this package", len(request.GetParts()), len(results))
	}
	if err != nil {
		e.claim.mutex.Lock()
		e.restore(changes)
		e.claim.mutex.Unlock()
	}
	isRefused := errors.Is(err, Refused)
	for _, r := range batch {
		switch {
		case isRefused && len(batch) > 1:
			e.sendBatch(ctx, []*report{r}) // one of them is refused, and the others are not stored either
		case isRefused:
			r.err = &Error{Kind: FinalFailure, FailureCode: err.(*Error).Reason, cause: err,
				Message: fmt.Sprintf("step %s was not recorded: %v", r.records[0].GetName(), err)}
		case err != nil:
			r.err = err
		default:
			r.results, results = results[:len(r.records)], results[len(r.records):]
			r.err = unknownResult(r)
		}
	}
}

func unknownResult(r *report) error {
	for i, result := range r.results {
		if unknown := unknownIn(result, "outcome"); unknown != "" {
			err := failed(UnknownAnswer, nil, "Hapax answered part %s with an outcome that this package does not know (%s); upgrade it",
				r.records[i].GetName(), unknown)
			err.Code = codes.Unimplemented
			return err
		}
	}
	return nil
}

// requestOf returns the request of a batch, and the changes of the state that are in it.
func (e *execution) requestOf(batch []*report) (*hapaxv1.RecordStepRequest, map[string]any, error) {
	e.claim.mutex.Lock()
	defer e.claim.mutex.Unlock()
	request := &hapaxv1.RecordStepRequest{Claim: e.claim.message}
	hasOutput := false
	for _, r := range batch {
		for _, record := range r.records {
			if record.GetOutput() != nil {
				hasOutput = true
				if r.use != nil {
					record.Overlapped = r.use.overlapped
				}
			}
			request.Parts = append(request.Parts, record)
		}
		for member, value := range r.changes {
			e.changes[member] = value
		}
	}
	if !hasOutput {
		return request, nil, nil
	}
	changes, patch, err := e.patch()
	if err != nil {
		text := fmt.Sprintf("step %s was done, but the change of the state cannot be stored: %v", request.Parts[0].GetName(), err)
		return request, nil, Fail(FinalFailure, "RESULT_REFUSED", text)
	}
	request.StatePatch = patch
	return request, changes, nil
}

// outputOf is the record of a part that has ended.
func outputOf(name string, output *hapaxv1.Payload) *hapaxv1.PartRecord {
	if output == nil {
		output = null
	}
	return &hapaxv1.PartRecord{Name: name, Result: &hapaxv1.PartRecord_Output{Output: output}}
}

// sendOne returns the result of one record.
func (e *execution) sendOne(ctx context.Context, u *use, record *hapaxv1.PartRecord) (*hapaxv1.PartResult, error) {
	results, err := e.send(ctx, &report{records: []*hapaxv1.PartRecord{record}, use: u})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}
