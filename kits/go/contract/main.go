// The contract program of the Go kit: see kits/contract/README.md.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "github.com/lib/pq"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1"
)

type object = map[string]any

// command has the fields of all commands.
type command struct {
	ID             int             `json:"id"`
	Do             string          `json:"do"`
	File           string          `json:"file"`
	Operation      string          `json:"operation"`
	RequestID      string          `json:"request_id"`
	Account        string          `json:"account"`
	Input          json.RawMessage `json:"input"`
	LeaseMs        int64           `json:"lease_ms"`
	WaitMs         int64           `json:"wait_ms"`
	AtMostMs       int64           `json:"at_most_ms"`
	Work           []part          `json:"work"`
	Definition     string          `json:"definition"`
	IdempotencyKey string          `json:"idempotency_key"`
	Traceparent    string          `json:"traceparent"`
	OnKeyMismatch  string          `json:"on_key_mismatch"`
	Span           string          `json:"span"`
	Hook           *hook           `json:"hook"`
	Signal         *newSignal      `json:"signal"`
	RunID          string          `json:"run_id"`
	Token          string          `json:"token"`
	Lifecycle      string          `json:"lifecycle"`
	EntityID       string          `json:"entity_id"`
	Status         string          `json:"status"`
	Step           string          `json:"step"`
	Requester      string          `json:"requester"`
	Queue          string          `json:"queue"`
	Concurrency    int             `json:"concurrency"`
	OnCodeChange   string          `json:"on_code_change"`
	Steps          map[string][]part
	Name           string  `json:"name"`
	Key            string  `json:"key"`
	MaxRunning     int32   `json:"max_running"`
	Limits         []limit `json:"limits"`
	Module         string  `json:"module"`
	Latch          string  `json:"latch"`
	newSignal
}

type hook struct {
	Token, Name   string
	OnConflict    string `json:"on_conflict"`
	ExpectedOwner string `json:"expected_owner"`
	RetentionMs   int64  `json:"retention_ms"`
	QueueLimit    int32  `json:"queue_limit"`
	QueueFull     string `json:"queue_full"`
}

type limit struct {
	Name, Input, Label string
	MaxRunning         int32 `json:"max_running"`
}

type newSignal struct {
	Type     string          `json:"type"`
	Payload  json.RawMessage `json:"payload"`
	SignalID string          `json:"signal_id"`
}

func (s newSignal) signal() hapax.Signal {
	return hapax.Signal{ID: s.SignalID, Type: s.Type, Payload: value(s.Payload)}
}

func value(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

func milliseconds(of int64) time.Duration { return time.Duration(of) * time.Millisecond }

type program struct {
	client   *hapax.Client
	loops    context.Context
	running  sync.WaitGroup
	mutex    sync.Mutex
	latches  map[string]chan struct{}
	commands map[string]func(context.Context, command) (any, error)
}

func main() {
	client, err := hapax.Connect(hapax.Options{Workspace: os.Getenv("CONTRACT_WORKSPACE"), Traceparent: spanOf, TaskSpan: taskSpan})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	loops, stop := context.WithCancel(context.Background())
	p := &program{client: client, loops: loops, latches: map[string]chan struct{}{}}
	p.commands = map[string]func(context.Context, command) (any, error){
		"vectors": vectors, "once": p.once, "start": p.start, "start_in_sql": p.startInSQL, "result": p.result, "cancel": p.cancel,
		"signal_run": p.signalRun, "signal_hook": p.signalHook, "hook_owner": p.hookOwner, "create_entity": p.createEntity,
		"create_hook": p.createHook, "workflow": p.workflow,
		"set_limit": p.setLimit, "remove_limit": p.removeLimit, "list_limits": p.listLimits,
		"act": p.act, "work": p.work, "janitor": p.janitor, "serve": p.serve, "serve_grpc": p.serveGRPC, "open": p.open,
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		stop()
		p.say(object{"event": "stopping"})
		p.running.Wait()
		os.Exit(0)
	}()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		go p.answer(append([]byte(nil), lines.Bytes()...))
	}
}

// span is the key of the span in a context, as a tracer has one.
type span struct{}

func spanOf(ctx context.Context) string {
	header, _ := ctx.Value(span{}).(string)
	return header
}

// taskSpan begins a span in the trace of the run.
func taskSpan(ctx context.Context, task *hapax.Task) (context.Context, func(error)) {
	header := task.Traceparent()
	if len(header) == 55 {
		header = header[:36] + fmt.Sprintf("%016x", rand.Uint64()) + header[52:]
	}
	return context.WithValue(ctx, span{}, header), func(error) {}
}

func (p *program) say(line object) {
	text, err := json.Marshal(line)
	if err != nil {
		text = []byte(fmt.Sprintf(`{"event": "defect", "message": %q}`, err))
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	fmt.Println(string(text))
}

func (p *program) answer(line []byte) {
	var c command
	err := json.Unmarshal(line, &c)
	var answered any
	if err == nil {
		answered, err = p.commands[c.Do](context.Background(), c)
	}
	var known *hapax.Error
	switch {
	case err == nil:
		p.say(object{"id": c.ID, "value": answered})
	case errors.As(err, &known):
		p.say(object{"id": c.ID, "error": object{"kind": known.Kind, "reason": known.Reason, "message": known.Message}})
	default:
		p.say(object{"id": c.ID, "error": object{"kind": "Defect", "reason": "", "message": err.Error()}})
	}
}

func (p *program) once(ctx context.Context, c command) (any, error) {
	operation := hapax.Operation{
		Name: c.Operation, RequestID: c.RequestID, Account: c.Account, Input: value(c.Input),
		Lease: milliseconds(c.LeaseMs), Wait: milliseconds(c.WaitMs),
	}
	return hapax.Once(ctx, p.client, operation, func(ctx context.Context, claim *hapax.Claim) (any, error) {
		return p.do(ctx, &held{claim: claim, id: c.RequestID}, c.Work)
	})
}

func (p *program) start(ctx context.Context, c command) (any, error) {
	run := hapax.NewRun{Definition: c.Definition, IdempotencyKey: c.IdempotencyKey, Input: value(c.Input), Traceparent: c.Traceparent}
	run.RestartFailed = c.OnKeyMismatch == "RESTART_FAILED"
	run.Wait = milliseconds(c.WaitMs)
	if c.Hook != nil {
		run.Hooks = []hapax.Hook{{
			Token: c.Hook.Token, Name: c.Hook.Name, ExpectedOwner: c.Hook.ExpectedOwner, Retention: milliseconds(c.Hook.RetentionMs),
			OnConflict: hapaxv1.OnConflict(hapaxv1.OnConflict_value["ON_CONFLICT_"+c.Hook.OnConflict]),
			QueueLimit: c.Hook.QueueLimit, QueueFull: hapaxv1.QueueFull(hapaxv1.QueueFull_value["QUEUE_FULL_"+c.Hook.QueueFull]),
		}}
	}
	if c.Signal != nil {
		s := c.Signal.signal()
		run.Signal = &s
	}
	started, err := p.client.Runs.Start(context.WithValue(ctx, span{}, c.Span), run)
	if err != nil {
		return nil, err
	}
	var output any
	if err := p.client.Decode(ctx, started.GetRun().GetOutput(), &output); err != nil {
		return nil, err
	}
	return object{
		"output": output,
		"run_id": orNull(started.GetRun().GetId()), "owner": orNull(started.GetOwner().GetRunId()),
		"disposition": strings.TrimPrefix(started.GetDisposition().String(), "DISPOSITION_"),
		"runs_ahead":  started.GetRunsAhead(), "superseded": started.GetSupersededRunIds(),
	}, err
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (p *program) startInSQL(ctx context.Context, c command) (any, error) {
	var run string
	err := inTransaction(ctx, "commit", func(tx *sql.Tx) (err error) {
		run, err = p.client.StartRunSQL(ctx, tx, c.Definition, value(c.Input))
		return err
	})
	return run, err
}

func (p *program) result(ctx context.Context, c command) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, milliseconds(c.AtMostMs))
	defer cancel()
	return hapax.Result[any](ctx, p.client, c.RunID)
}

func (p *program) cancel(ctx context.Context, c command) (any, error) {
	run, err := p.client.Runs.Cancel(ctx, c.RunID, "")
	return strings.TrimPrefix(run.GetStatus().String(), "RUN_STATUS_"), err
}

func (p *program) signalRun(ctx context.Context, c command) (any, error) {
	disposition, err := p.client.Runs.Signal(ctx, c.RunID, c.newSignal.signal())
	return strings.TrimPrefix(disposition.String(), "SIGNAL_DISPOSITION_"), err
}

func (p *program) signalHook(ctx context.Context, c command) (any, error) {
	disposition, err := p.client.Hooks.Signal(ctx, c.Token, c.newSignal.signal())
	return strings.TrimPrefix(disposition.String(), "SIGNAL_DISPOSITION_"), err
}

func (p *program) createHook(ctx context.Context, c command) (any, error) {
	owner, err := p.client.Hooks.Create(ctx, c.RunID, hapax.Hook{Token: c.Token}, nil)
	if owner == "" {
		return nil, err
	}
	return owner, err
}

func (p *program) hookOwner(ctx context.Context, c command) (any, error) {
	return p.client.Hooks.Get(ctx, c.Token)
}

func (p *program) createEntity(ctx context.Context, c command) (any, error) {
	entity, err := p.client.Entities.Create(ctx, c.Lifecycle, c.EntityID, c.Status)
	return entity.GetStatus(), err
}

func (p *program) act(ctx context.Context, c command) (any, error) {
	action := hapax.Action{
		Lifecycle: c.Lifecycle, EntityID: c.EntityID, Step: c.Step, Requester: c.Requester,
		Lease: milliseconds(c.LeaseMs), Wait: milliseconds(c.WaitMs),
	}
	return hapax.Act(ctx, p.client, action, func(ctx context.Context, claim *hapax.Claim) (any, error) {
		return p.do(ctx, &held{claim: claim, id: c.EntityID}, c.Work)
	})
}

func (p *program) work(_ context.Context, c command) (any, error) {
	worker := &hapax.Worker{Client: p.client, Queues: []string{c.Queue}, Concurrency: c.Concurrency, Steps: map[string]hapax.Handler{}}
	worker.OnCodeChange = hapax.OnCodeChange(c.OnCodeChange)
	for name, parts := range c.Steps {
		parts := parts
		worker.Steps[c.Definition+"/"+name] = func(ctx context.Context, task *hapax.Task) (any, error) {
			return p.do(ctx, &held{claim: task.Claim, task: task, id: task.StepID}, parts)
		}
	}
	p.run(worker.Run)
	return "started", nil
}

func (p *program) workflow(_ context.Context, c command) (any, error) {
	options := hapax.WorkflowOptions{Queue: c.Queue}
	for _, each := range c.Limits {
		options.Limits = append(options.Limits, hapax.NamedLimit{Name: each.Name, Input: each.Input, Label: each.Label, MaxRunning: each.MaxRunning})
	}
	main := hapax.NewWorkflow(c.Definition, options, func(ctx context.Context, task *hapax.Task, _ any) (any, error) {
		return p.do(ctx, &held{claim: task.Claim, task: task, id: task.StepID}, c.Work)
	})
	worker := &hapax.Worker{Client: p.client, Workflows: []hapax.AnyWorkflow{main}}
	err := worker.Register(context.Background())
	p.run(worker.Run)
	return "started", err
}

func (p *program) setLimit(ctx context.Context, c command) (any, error) {
	return p.client.Limits.Set(ctx, c.Name, hapax.Limit{Key: c.Key, MaxRunning: c.MaxRunning})
}

func (p *program) removeLimit(ctx context.Context, c command) (any, error) {
	return p.client.Limits.Remove(ctx, c.Name, hapax.Limit{Key: c.Key})
}

func (p *program) listLimits(ctx context.Context, c command) (any, error) {
	states, err := p.client.Limits.List(ctx, c.Name)
	lines := []object{}
	for _, each := range states {
		line := object{"key": each.GetKey(), "max_running": each.GetMaxRunning()}
		line["running"], line["waiting"] = each.GetRunning(), each.GetWaiting()
		lines = append(lines, line)
	}
	return lines, err
}

func (p *program) janitor(_ context.Context, c command) (any, error) {
	janitor := &hapax.Janitor{Client: p.client, Module: c.Module, Check: verdict}
	p.run(janitor.Run)
	return "started", nil
}

func verdict(_ context.Context, recovery *hapaxv1.Recovery) (hapaxv1.RecoveryOutcome, error) {
	ledger, err := os.ReadFile(os.Getenv("CONTRACT_LEDGER"))
	for _, line := range strings.Split(string(ledger), "\n") {
		if columns := strings.Split(line, " "); len(columns) > 1 && columns[1] == fmt.Sprint(recovery.GetLost().GetFence()) {
			return hapax.Complete, err
		}
	}
	return hapax.Revert, err
}

func (p *program) run(loop func(context.Context) error) {
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		if err := loop(p.loops); err != nil {
			fmt.Fprintln(os.Stderr, err)
			p.say(object{"event": "defect", "message": err.Error()})
		}
	}()
}

func (p *program) serve(_ context.Context, c command) (any, error) {
	status := http.StatusCreated
	for _, each := range c.Work {
		if each.Status != 0 {
			status = each.Status
		}
	}
	pay := func(w http.ResponseWriter, r *http.Request) {
		answered, err := p.do(r.Context(), &held{claim: &hapax.Claim{}, id: r.Header.Get("Idempotency-Key")}, c.Work)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, _ := json.Marshal(answered)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
	idempotency := &hapax.Idempotency{Client: p.client, Required: true}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() { _ = http.Serve(listener, idempotency.Handler(http.HandlerFunc(pay))) }()
	return object{"net-http": listener.Addr().(*net.TCPAddr).Port}, nil
}

func (p *program) serveGRPC(_ context.Context, c command) (any, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	interceptor := &hapax.Interceptor{Client: p.client, Methods: []string{"hapax.v1.EntityService/CreateEntity"}, Required: true}
	server := grpc.NewServer(grpc.UnaryInterceptor(interceptor.Unary))
	create := func(ctx context.Context, request any) (any, error) {
		id := request.(*hapaxv1.CreateEntityRequest).GetEntityId()
		if _, err := p.do(ctx, &held{claim: &hapax.Claim{}, id: id}, c.Work); err != nil {
			return nil, status.Error(codes.Unavailable, err.Error())
		}
		return &hapaxv1.CreateEntityResponse{Entity: &hapaxv1.Entity{Id: id}}, nil
	}
	server.RegisterService(entityService(create), nil)
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// entityService is what generated code has for a service with one method.
func entityService(create grpc.UnaryHandler) *grpc.ServiceDesc {
	handler := func(_ any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		request := &hapaxv1.CreateEntityRequest{}
		if err := decode(request); err != nil {
			return nil, err
		}
		return interceptor(ctx, request, &grpc.UnaryServerInfo{FullMethod: "/hapax.v1.EntityService/CreateEntity"}, create)
	}
	methods := []grpc.MethodDesc{{MethodName: "CreateEntity", Handler: handler}}
	return &grpc.ServiceDesc{ServiceName: "hapax.v1.EntityService", HandlerType: (*any)(nil), Methods: methods}
}

func (p *program) latch(name string) chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.latches[name] == nil {
		p.latches[name] = make(chan struct{})
	}
	return p.latches[name]
}

func (p *program) open(_ context.Context, c command) (any, error) {
	close(p.latch(c.Latch))
	return "opened", nil
}
