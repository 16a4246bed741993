package hapax

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// StartRunSQL posts the start of a run in your own transaction, in the database of Hapax; returns its id. It takes effect
// if the transaction commits. The other intents are functions of SQL: see docs/sql.md.
func (c *Client) StartRunSQL(ctx context.Context, tx *sql.Tx, definition string, input any) (runID string, err error) {
	text, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	if input == nil {
		text = []byte("{}")
	}
	err = tx.QueryRowContext(ctx, "SELECT hapax.start_run($1, $2, $3::jsonb)", c.workspace, definition, string(text)).Scan(&runID)
	return runID, err
}

// CompleteSQL completes the work of a claim in the transaction that writes its rows. Call it last, commit, and return the
// same value from the work. If the COMMIT is in doubt, the kit finds out what became of it. Renewals stop before, because the
// transaction locks the record. While a body of Record runs it returns an error.
func (c *Client) CompleteSQL(ctx context.Context, tx *sql.Tx, claim *Claim, value any) error {
	if claim.keeper == nil {
		return nil // the work is not tracked
	}
	if parts := claim.partsInProgress(); parts > 0 {
		return fmt.Errorf("%d durable calls of the task are in progress; complete it after they have ended", parts)
	}
	payload, err := Payload(value)
	if err != nil {
		return err
	}
	claim.keeper.renewLast(ctx, claim)
	var text *string
	if value != nil {
		content := payload.GetJson()
		text = &content
	}
	var ignored string
	statement := "SELECT hapax." + claim.keeper.function + "($1, $2, $3, $4::jsonb)"
	err = tx.QueryRowContext(ctx, statement, c.workspace, claim.message.GetId(), claim.Fence, text).Scan(&ignored)
	if err == nil {
		claim.inSQL = payload
		if payload == nil {
			claim.inSQL = null
		}
	}
	return err
}
