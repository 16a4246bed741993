// The shop of docs/tutorial.md with the Go kit: shop charge|worker|order|send|janitor ARGUMENT...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
)

type shop struct{ client *hapax.Client }

// 1. An operation: charges the card once for each request id, and replays the receipt to duplicates.
func (s shop) charge(ctx context.Context, requestID string, amount int) (map[string]int, error) {
	operation := hapax.Operation{
		Name: "shop.v1.Shop/Charge", RequestID: requestID, Input: map[string]int{"amount": amount}, Wait: 5 * time.Second,
	}
	return hapax.Once(ctx, s.client, operation, func(context.Context, *hapax.Claim) (map[string]int, error) {
		fmt.Printf("the card is charged %d EUR\n", amount)
		return map[string]int{"charged": amount}, nil
	})
}

// 2. A run: a worker does the steps of orders. The id of a step is the same on every attempt.
func (s shop) worker(ctx context.Context) error {
	worker := &hapax.Worker{Client: s.client, Queues: []string{"shop"}, Steps: map[string]hapax.Handler{
		"charge": func(ctx context.Context, task *hapax.Task) (any, error) {
			var amount int
			if err := task.Input(&amount); err != nil {
				return nil, err
			}
			return s.charge(ctx, task.StepID, amount)
		},
		"ship": func(context.Context, *hapax.Task) (any, error) { return map[string]bool{"shipped": true}, nil },
	}}
	fmt.Println("works on the queue shop")
	return worker.Run(ctx)
}

// 3. A hook: one run owns the token of the order. Every trigger of the order gets the result of that run.
func (s shop) order(ctx context.Context, orderID string, amount int, trigger string) (string, error) {
	hook := hapax.Hook{Token: "order/" + orderID, OnConflict: hapax.UseExisting, Retention: time.Hour}
	run := hapax.NewRun{Definition: "shop-order", IdempotencyKey: trigger, Input: amount, Hooks: []hapax.Hook{hook}}
	started, err := s.client.Runs.Start(ctx, run)
	if err != nil {
		return "", err
	}
	result, err := hapax.Result[json.RawMessage](ctx, s.client, started.GetRun().GetId())
	return fmt.Sprintf("%s %s", started.GetRun().GetId(), result), err
}

// 4. A claim: one caller at a time sends an invoice.
func (s shop) send(ctx context.Context, invoice string) (string, error) {
	if _, err := s.client.Entities.Create(ctx, "shop-invoice", invoice, "draft"); err != nil {
		return "", err
	}
	action := hapax.Action{Lifecycle: "shop-invoice", EntityID: invoice, Step: "send", Requester: "billing", Lease: 10 * time.Second}
	_, err := hapax.Act(ctx, s.client, action, func(_ context.Context, claim *hapax.Claim) (any, error) {
		isPosted, err := post(invoice, claim.Fence, "invoice")
		if err == nil && !isPosted {
			err = hapax.Fail(hapax.FinalFailure, "REVERTED", "the janitor has ended this attempt")
		}
		if os.Getenv("CRASH") != "" {
			os.Exit(1) // as if the machine failed after the mail, and before the completion
		}
		return nil, err
	})
	var known *hapax.Error
	if errors.As(err, &known) && known.Kind == hapax.WrongStatus {
		return known.Status, nil
	}
	if err != nil {
		return err.Error(), nil
	}
	return "sent", nil
}

// post stands for a mail server that accepts one message for each invoice and fence.
func post(invoice string, fence int64, content string) (bool, error) {
	outbox := os.Getenv("OUTBOX")
	file, err := os.OpenFile(filepath.Join(outbox, fmt.Sprintf("%s-%d", invoice, fence)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		if errors.Is(err, os.ErrExist) {
			err = nil
		}
		return false, err
	}
	defer file.Close()
	_, err = file.WriteString(content)
	return true, err
}

// check takes the place of the message of a lost holder: if it can, the invoice was not sent, and never will be.
func check(_ context.Context, recovery *hapaxv1.Recovery) (hapaxv1.RecoveryOutcome, error) {
	invoice := recovery.GetEntity().GetId()
	isFree, err := post(invoice, recovery.GetLost().GetFence(), "void")
	verdict, word := hapax.Complete, "COMPLETE"
	if isFree {
		verdict, word = hapax.Revert, "REVERT"
	}
	fmt.Println(invoice, word)
	return verdict, err
}

func (s shop) run(ctx context.Context, command string, arguments ...string) (answer string, err error) {
	argument := func(i int) string { return append(arguments, "", "", "")[i] } // a missing one is empty
	amount, _ := strconv.Atoi(argument(1))
	switch command {
	case "charge":
		receipt, err := s.charge(ctx, argument(0), amount)
		text, _ := json.Marshal(receipt)
		return string(text), err
	case "worker":
		return "", s.worker(ctx)
	case "order":
		return s.order(ctx, argument(0), amount, argument(2))
	case "send":
		return s.send(ctx, argument(0))
	case "janitor":
		fmt.Println("recovers invoices")
		return "", (&hapax.Janitor{Client: s.client, Module: "shop", Check: check}).Run(ctx)
	}
	return "", fmt.Errorf("unknown command %s", command)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	client, err := hapax.Connect(hapax.Options{})
	answer := ""
	if err == nil {
		answer, err = shop{client}.run(ctx, os.Args[1], os.Args[2:]...)
	}
	if err != nil {
		log.Fatal(err)
	}
	if answer != "" {
		fmt.Println(answer)
	}
}
