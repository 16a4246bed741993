package hapax

import (
	"context"
	"time"

	"hapax.dev/kits/go/hapaxv1"
)

// NamedLimit is a limit as a step declares it, or a definition. All steps of the workspace that name it share it. A run that reaches
// one of them waits in line until there is room. All definitions that name it share another one: a run waits before it starts, and
// counts until its end.
type NamedLimit struct {
	Name       string
	Input      string        // a JSON pointer into the input, such as /tenant: each value has a number and a line of its own
	Label      string        // a label of the run, instead of Input. Without both, and without a value, runs share one number
	MaxRunning int32         // how many runs of each value may be in the queue or held, or have started, 1 to 1,000; 0 = any number
	MaxStarts  int32         // how many runs of each value enter the queue, or start, in each Per, evenly, 1 to 10,000; 0 = any number
	Per        time.Duration // 1 s to 24 h
}

func (l NamedLimit) message() *hapaxv1.Limit {
	message := &hapaxv1.Limit{Name: l.Name, MaxRunning: l.MaxRunning, MaxStarts: l.MaxStarts, Per: duration(l.Per)}
	if l.Input != "" {
		message.Key = &hapaxv1.Limit_Input{Input: l.Input}
	} else if l.Label != "" {
		message.Key = &hapaxv1.Limit_Label{Label: l.Label}
	}
	return message
}

func limitMessages(limits []NamedLimit) (messages []*hapaxv1.Limit) {
	for _, each := range limits {
		messages = append(messages, each.message())
	}
	return messages
}

// Limit is what Limits.Set sets, for one value of the limit's key.
type Limit struct {
	Key           string        // "" = all values without a number of their own
	OfDefinitions bool          // whether it is the limit of definitions of this name, not that of steps
	MaxRunning    int32         // how many runs may be in the queue or held, 1 to 1,000; 0 = that of the definitions
	MaxStarts     int32         // how many runs enter the queue in each Per, 1 to 10,000; 0 = that of the definitions
	Per           time.Duration // 1 s to 24 h
	Reason        string        // is stored with the change
}

// Limits changes and shows the limits of steps and definitions.
type Limits struct{ client *Client }

// Set sets the numbers of a limit at once, before those of all definitions. Runs that were admitted stay so: after a lower
// number, others wait until fewer run. It returns false if the limit was set so before.
func (l Limits) Set(ctx context.Context, name string, limit Limit) (isChanged bool, err error) {
	return l.change(ctx, &hapaxv1.SetLimitRequest{
		Name: name, Key: limit.Key, OfDefinitions: limit.OfDefinitions, Reason: limit.Reason,
		MaxRunning: limit.MaxRunning, MaxStarts: limit.MaxStarts, Per: duration(limit.Per),
	})
}

// Remove removes what Set set for the Key and OfDefinitions of this limit, whose numbers do not count: those of the whole limit
// hold again, or those of the definitions. It returns false if there was none.
func (l Limits) Remove(ctx context.Context, name string, limit Limit) (isChanged bool, err error) {
	return l.change(ctx, &hapaxv1.SetLimitRequest{
		Name: name, Key: limit.Key, OfDefinitions: limit.OfDefinitions, Reason: limit.Reason, Remove: true,
	})
}

func (l Limits) change(ctx context.Context, request *hapaxv1.SetLimitRequest) (isChanged bool, err error) {
	response, err := call(ctx, l.client, "LimitService/SetLimit", request, &hapaxv1.SetLimitResponse{})
	return err == nil && !response.GetAlready(), err
}

// List returns the values of a limit that runs have reached in the last week, or that are set; those of all limits without a name.
func (l Limits) List(ctx context.Context, name string) (states []*hapaxv1.LimitState, err error) {
	request := &hapaxv1.ListLimitsRequest{Name: name, PageSize: 500}
	for {
		page, err := call(ctx, l.client, "LimitService/ListLimits", request, &hapaxv1.ListLimitsResponse{})
		states = append(states, page.GetLimits()...)
		if request.PageToken = page.GetNextPageToken(); err != nil || request.PageToken == "" {
			return states, err
		}
	}
}
