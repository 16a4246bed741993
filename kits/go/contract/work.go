package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
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
	Patch         object
	Fail          string
	CompleteInSQL json.RawMessage `json:"complete_in_sql"`
	End           string
	Status        int
	Return        json.RawMessage
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
		value, err := hapax.Record(ctx, h.task, each.Record, func(ctx context.Context, key string) (any, error) {
			return p.parts(ctx, h, each.Work, key)
		})
		if err == nil {
			p.event(h, "recorded", object{"name": each.Record, "value": value})
		}
		return err
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
		kinds := map[string]hapax.Kind{
			"retryable": hapax.RetryableFailure, "final": hapax.FinalFailure, "unknown_effect": hapax.UnknownEffect,
		}
		return hapax.Fail(kinds[each.Fail], "FAILED", "as the work says")
	case each.CompleteInSQL != nil:
		return p.completeInSQL(ctx, h, each, id)
	case each.Hold != "":
		p.hold(h, each.Hold)
	}
	return nil
}

// effect appends a line to the ledger in one write.
func effect(line string) error {
	ledger, err := os.OpenFile(os.Getenv("CONTRACT_LEDGER"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer ledger.Close()
	_, err = ledger.WriteString(line)
	return err
}

// hold waits for the latch, and says when the claim is lost, as the kit reports it.
func (p *program) hold(h *held, name string) {
	p.event(h, "holds", object{"latch": name})
	latch := p.latch(name)
	for isLost := false; ; {
		select {
		case <-latch:
			return
		case <-time.After(20 * time.Millisecond):
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
			p.hold(h, each.Hold)
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
