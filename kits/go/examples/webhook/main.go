// A webhook receiver: an event that is delivered twice is taken once, and wakes the run that waits for it.
//
// A provider sends POST /events with the header Idempotency-Key and {"order": "4711", "event": "paid"}. It sends again what
// got no answer of 2xx. Each order is one run: its first event starts it, later ones are signals to it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
)

type receiver struct{ client *hapax.Client }

type event struct {
	Order, Event string
}

// ServeHTTP starts the run of an order, or signals the one that owns its token.
func (r receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var e event
	if err := json.NewDecoder(request.Body).Decode(&e); err != nil || e.Order == "" || e.Event == "" {
		http.Error(w, "an event needs order and event", http.StatusBadRequest)
		return
	}
	key := request.Header.Get("Idempotency-Key")
	started, err := r.client.Runs.Start(request.Context(), hapax.NewRun{
		Definition:     "webhook-order",
		IdempotencyKey: "event/" + key,
		Hooks:          []hapax.Hook{{Token: "webhook-order/" + e.Order, Name: "payment", OnConflict: hapax.SignalExisting, Retention: time.Hour}},
		Signal:         &hapax.Signal{ID: key, Type: e.Event},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable) // frees the key, and the provider sends again
		return
	}
	fmt.Println("took", e.Event, "of", e.Order)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(map[string]string{"run": started.GetRun().GetId()})
}

// fulfil is the code workflow of an order: it waits for its payment, and ships once.
func fulfil(ctx context.Context, task *hapax.Task) (any, error) {
	_, isPaid, err := hapax.AwaitSignal[any](ctx, task, hapax.Wait{Name: "paid", Type: "paid", Hook: "payment", Timeout: 30 * 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	if !isPaid {
		return "expired", nil
	}
	return hapax.Record(ctx, task, "ship", func(_ context.Context, key string) (string, error) {
		fmt.Println("ships with the key", key)
		return "shipped", nil
	}, hapax.Retry{MaxAttempts: -1, GiveUpAfter: 24 * time.Hour}, hapax.Timeout(30*time.Second))
}

func define(ctx context.Context, client *hapax.Client) error {
	code := &hapaxv1.CodeStep{Queue: "webhooks"}
	request := &hapaxv1.RegisterDefinitionRequest{
		Name: "webhook-order", Version: "1",
		Steps: []*hapaxv1.StepDefinition{{Name: "fulfil", Kind: &hapaxv1.StepDefinition_Code{Code: code}}},
	}
	return client.Call(ctx, "DefinitionService/RegisterDefinition", request, &hapaxv1.RegisterDefinitionResponse{})
}

func run(ctx context.Context) error {
	client, err := hapax.Connect(hapax.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	if err := define(ctx, client); err != nil {
		return err
	}
	address := os.Getenv("LISTEN")
	if address == "" {
		address = "127.0.0.1:3000"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	idempotency := &hapax.Idempotency{Client: client, Required: true}
	server := &http.Server{Handler: idempotency.Handler(receiver{client}), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Println("listens on", strings.TrimPrefix(listener.Addr().String(), "127.0.0.1:"))

	worker := &hapax.Worker{Client: client, Queues: []string{"webhooks"}, Steps: map[string]hapax.Handler{"fulfil": fulfil}}
	if err := worker.Run(ctx); err != nil {
		return err
	}
	if err := server.Shutdown(context.Background()); err != nil {
		return err
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}
