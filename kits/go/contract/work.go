package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hapax.dev/kits/go/hapax"
)

// part is one part of a work.
type part struct {
	Effect        string
	Hold          string
	Record        string
	Work          []part
	Beside        []part
	Suspend       string
	Ms            int64
	AwaitSignal   string `json:"await_signal"`
	TimeoutMs     int64  `json:"timeout_ms"`
	Retry         *retry
	AtMostOnce    bool `json:"at_most_once"`
	Verify        []part
	NotDone       bool `json:"not_done"`
	Map           string
	Keys          []string
	Concurrency   int
	Settled       bool
	Patched       string
	Else          []part
	SetState      object `json:"set_state"`
	Patch         object
	Caught        []part
	FailTimes     int `json:"fail_times"`
	Fail          string
	Code          string
	RetryAfterMs  int64           `json:"retry_after_ms"`
	CompleteInSQL json.RawMessage `json:"complete_in_sql"`
	End           string
	Status        int
	Return        json.RawMessage
}

type retry struct {
	MaxAttempts   int32 `json:"max_attempts"`
	InitialMs     int64 `json:"initial_ms"`
	MaxMs         int64 `json:"max_ms"`
	Factor        float64
	NonRetryable  []string `json:"non_retryable"`
	RetryOnly     []string `json:"retry_only"`
	GiveUpAfterMs int64    `json:"give_up_after_ms"`
}

// held is what the work holds: a claim, and the task of a step.
type held struct {
	claim *hapax.Claim
	task  *hapax.Task
	id    string
}

func (p *program) event(h *held, name string, more object) {
	line := object{"event": name, "id": h.id, "fence": h.claim.Fence}
	for key, value := range more {
		line[key] = value
	}
	p.say(line)
}

// do does the parts of a work one after the other.
func (p *program) do(ctx context.Context, h *held, parts []part) (any, error) {
	begins := object{}
	if h.task != nil {
		begins = object{"attempt": h.task.Attempt, "traceparent": h.task.Traceparent(), "span": spanOf(ctx)}
		defer p.event(h, "ends", nil)
	}
	p.event(h, "begins", begins)
	return p.parts(ctx, h, parts, h.id)
}

func (p *program) parts(ctx context.Context, h *held, parts []part, id string) (any, error) {
	for _, each := range parts {
		if each.Return != nil {
			return each.Return, nil
		}
		if err := p.part(ctx, h, each, id); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (p *program) part(ctx context.Context, h *held, each part, id string) error {
	switch {
	case each.Effect != "":
		return effect(fmt.Sprintf("%s %d %s\n", each.Effect, h.claim.Fence, id))
	case each.Record != "":
		return p.record(ctx, h, each)
	case each.Map != "":
		return p.branches(ctx, h, each, id)
	case each.Patched != "":
		return p.patched(ctx, h, each, id)
	case each.SetState != nil:
		return h.task.SetState(ctx, each.SetState)
	case each.Caught != nil:
		return p.caught(ctx, h, each.Caught, id)
	case each.NotDone:
		return hapax.ErrNotDone
	case each.FailTimes > 0:
		return each.failAtFirst(id)
	case each.Beside != nil:
		go func() {
			if _, err := p.parts(ctx, h, each.Beside, id); err != nil {
				p.event(h, "beside_failed", object{"message": err.Error()})
			}
		}()
	case each.Suspend != "":
		return h.task.Suspend(ctx, each.Suspend, milliseconds(each.Ms))
	case each.AwaitSignal != "":
		wait := hapax.Wait{Name: each.AwaitSignal, Timeout: milliseconds(each.TimeoutMs)}
		value, _, err := hapax.AwaitSignal[any](ctx, h.task, wait)
		if err == nil {
			p.event(h, "signal", object{"name": each.AwaitSignal, "value": value})
		}
		return err
	case each.Patch != nil:
		for member, value := range each.Patch {
			h.task.PatchState(member, value)
		}
	case each.Fail != "":
		return each.failure()
	case each.CompleteInSQL != nil:
		return p.completeInSQL(ctx, h, each, id)
	case each.Hold != "":
		return p.hold(ctx, h, each.Hold)
	}
	return nil
}

func (p *program) record(ctx context.Context, h *held, each part) error {
	var options []hapax.PartOption
	if r := each.Retry; r != nil {
		options = append(options, hapax.Retry{
			MaxAttempts: r.MaxAttempts, Initial: milliseconds(r.InitialMs), Max: milliseconds(r.MaxMs), Factor: r.Factor,
			NonRetryable: r.NonRetryable, RetryOnly: r.RetryOnly, GiveUpAfter: milliseconds(r.GiveUpAfterMs),
		})
	}
	if each.TimeoutMs > 0 {
		options = append(options, hapax.Timeout(milliseconds(each.TimeoutMs)))
	}
	bodyOf := func(work []part) func(context.Context, string) (any, error) {
		return func(ctx context.Context, key string) (any, error) { return p.parts(ctx, h, work, key) }
	}
	if each.AtMostOnce && each.Verify != nil {
		options = append(options, hapax.AtMostOnce(bodyOf(each.Verify)))
	} else if each.AtMostOnce {
		options = append(options, hapax.AtMostOnce())
	}
	value, err := hapax.Record(ctx, h.task, each.Record, bodyOf(each.Work), options...)
	if err == nil {
		p.event(h, "recorded", object{"name": each.Record, "value": value})
	}
	return err
}

func (p *program) branches(ctx context.Context, h *held, each part, id string) error {
	options := hapax.MapOptions[string]{Concurrency: each.Concurrency}
	work := func(ctx context.Context, task *hapax.Task, _ string) (any, error) {
		return p.parts(ctx, &held{claim: h.claim, task: task, id: h.id}, each.Work, id)
	}
	var mapped any
	var err error
	if each.Settled {
		var outcomes []hapax.Outcome[any]
		outcomes, err = hapax.MapSettled(ctx, h.task, each.Map, each.Keys, options, work)
		var settled []object
		for _, outcome := range outcomes {
			var failed *hapax.PartFailed
			switch {
			case errors.As(outcome.Err, &failed):
				settled = append(settled, object{"error": failed.Code})
			case outcome.Err != nil:
				settled = append(settled, object{"error": outcome.Err.Error()})
			default:
				settled = append(settled, object{"value": outcome.Value})
			}
		}
		mapped = settled
	} else {
		mapped, err = hapax.Map(ctx, h.task, each.Map, each.Keys, options, work)
	}
	if err == nil {
		p.event(h, "mapped", object{"name": each.Map, "value": mapped})
	}
	return err
}

func (p *program) patched(ctx context.Context, h *held, each part, id string) error {
	isPatched, err := h.task.Patched(ctx, each.Patched)
	if err != nil {
		return err
	}
	p.event(h, "patched", object{"name": each.Patched, "value": isPatched})
	work := each.Else
	if isPatched {
		work = each.Work
	}
	_, err = p.parts(ctx, h, work, id)
	return err
}

func (p *program) caught(ctx context.Context, h *held, work []part, id string) error {
	_, err := p.parts(ctx, h, work, id)
	var failed *hapax.PartFailed
	if errors.As(err, &failed) {
		p.event(h, "part_failed", object{"part": failed.Part, "code": failed.Code, "attempts": failed.Attempts})
		return nil
	}
	return err
}

// failure is the one that the part names: a retryable one with the code FAILED unless it says otherwise.
func (each part) failure() error {
	kinds := map[string]hapax.Kind{"final": hapax.FinalFailure, "unknown_effect": hapax.UnknownEffect}
	failure := &hapax.Error{
		Kind: hapax.RetryableFailure, FailureCode: "FAILED", Message: "as the work says", RetryAfter: milliseconds(each.RetryAfterMs),
	}
	if kind, isNamed := kinds[each.Fail]; isNamed {
		failure.Kind = kind
	}
	if each.Code != "" {
		failure.FailureCode = each.Code
	}
	return failure
}

// failAtFirst fails as often as the part says, for each id. The file keeps count.
func (each part) failAtFirst(id string) error {
	file := os.Getenv("CONTRACT_LEDGER") + ".fails"
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	times := 0
	for _, line := range strings.Split(string(content), "\n") {
		if line == id {
			times++
		}
	}
	if times >= each.FailTimes {
		return nil
	}
	if err := appendTo(file, id+"\n"); err != nil {
		return err
	}
	return each.failure()
}

// effect appends a line to the ledger in one write.
func effect(line string) error {
	return appendTo(os.Getenv("CONTRACT_LEDGER"), line)
}

func appendTo(file, line string) error {
	opened, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = opened.WriteString(line)
	return err
}

// hold waits for the latch or a timeout of the part, and says when the claim is lost, as the kit reports it.
func (p *program) hold(ctx context.Context, h *held, name string) error {
	p.event(h, "holds", object{"latch": name})
	latch := p.latch(name)
	for isLost := false; ; {
		select {
		case <-latch:
			return nil
		case <-time.After(20 * time.Millisecond):
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ctx.Err()
		}
		if !isLost && h.claim.Err() != nil {
			isLost = true
			p.event(h, "lost", nil)
		}
	}
}

func (p *program) completeInSQL(ctx context.Context, h *held, each part, id string) error {
	return inTransaction(ctx, each.End, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO contract_effect (id, fence) VALUES ($1, $2)", id, h.claim.Fence); err != nil {
			return err
		}
		if err := p.client.CompleteSQL(ctx, tx, h.claim, each.CompleteInSQL); err != nil {
			return err
		}
		if each.Hold != "" {
			return p.hold(ctx, h, each.Hold)
		}
		return nil
	})
}

// inTransaction ends the transaction by commit or rollback.
func inTransaction(ctx context.Context, end string, do func(tx *sql.Tx) error) error {
	database, err := sql.Open("postgres", os.Getenv("CONTRACT_DATABASE")+"&sslmode=disable")
	if err != nil {
		return err
	}
	defer database.Close()
	tx, err := database.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil || end == "rollback" {
		return err
	}
	return tx.Commit()
}
