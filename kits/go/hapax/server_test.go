package hapax

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapaxv1"
)

const patience = 20 * time.Second

// TestMain removes the variables of a client, which would decide the tests.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "HAPAX_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// handlers are the methods of a server that a test makes up, by names such as OperationService/BeginOperation.
type handlers map[string]func(ctx context.Context, decode func(any) error) (any, error)

// on returns a method that answers requests of a type.
func on[Q any](answer func(ctx context.Context, request *Q) (proto.Message, error)) func(context.Context, func(any) error) (any, error) {
	return func(ctx context.Context, decode func(any) error) (any, error) {
		request := new(Q)
		if err := decode(request); err != nil {
			return nil, err
		}
		return answer(ctx, request)
	}
}

// always returns a method that has one answer.
func always[Q any](response proto.Message) func(context.Context, func(any) error) (any, error) {
	return on(func(context.Context, *Q) (proto.Message, error) { return response, nil })
}

// client returns a client of such a server, and what it logs.
func (h handlers) client(t *testing.T) (*Client, *logged) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := h.serve(listener)
	t.Cleanup(server.Stop)
	return connect(t, listener.Addr().String())
}

func (h handlers) serve(listener net.Listener) *grpc.Server {
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		handler := h[strings.TrimPrefix(method, "/hapax.v1.")]
		if handler == nil && strings.HasSuffix(method, "/GetServerInfo") {
			handler = always[hapaxv1.GetServerInfoRequest](infoOf(hapaxv1.ServerFeature_SERVER_FEATURE_PARTS))
		}
		if handler == nil {
			return status.Errorf(codes.Unimplemented, "the test has no method %s", method)
		}
		response, err := handler(stream.Context(), stream.RecvMsg)
		if err != nil {
			return err
		}
		return stream.SendMsg(response)
	}))
	go func() { _ = server.Serve(listener) }()
	return server
}

func connect(t *testing.T, target string) (*Client, *logged) {
	t.Helper()
	lines := &logged{}
	client, err := Connect(Options{Server: target, Logf: lines.add})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, lines
}

// logged has the lines of a log.
type logged struct {
	mutex sync.Mutex
	lines []string
}

func (l *logged) add(format string, arguments ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, arguments...))
}

func (l *logged) with(text string) (found []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// await waits until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %s: %s", patience, what)
		}
	}
}

func infoOf(features ...hapaxv1.ServerFeature) *hapaxv1.GetServerInfoResponse {
	return &hapaxv1.GetServerInfoResponse{Server: &hapaxv1.ServerInfo{Version: "1.2.3", Features: features}}
}

func acquired() *hapaxv1.BeginOperationResponse {
	return &hapaxv1.BeginOperationResponse{Outcome: &hapaxv1.BeginOperationResponse_Acquired_{
		Acquired: &hapaxv1.BeginOperationResponse_Acquired{
			Claim: &hapaxv1.Claim{Id: "claim", Fence: 1}, LeaseRemaining: durationpb.New(time.Minute),
		}}}
}

// lostWith is the loss of a claim, with what the record says if there is something.
func lostWith(replay *hapaxv1.Replay) *hapaxv1.ClaimLost {
	return &hapaxv1.ClaimLost{Reason: hapaxv1.ClaimLostReason_CLAIM_LOST_REASON_LEASE_LOST, Replay: replay}
}

func replayOf(result *hapaxv1.Payload) *hapaxv1.Replay {
	return &hapaxv1.Replay{Result: result}
}

// overtakenBy is a server at which each operation is lost to another holder.
func overtakenBy(replay *hapaxv1.Replay) handlers {
	return handlers{
		"OperationService/BeginOperation": always[hapaxv1.BeginOperationRequest](acquired()),
		"OperationService/CompleteOperation": always[hapaxv1.CompleteOperationRequest](&hapaxv1.CompleteOperationResponse{
			Outcome: &hapaxv1.CompleteOperationResponse_ClaimLost{ClaimLost: lostWith(replay)}}),
		"OperationService/FailOperation": always[hapaxv1.FailOperationRequest](&hapaxv1.FailOperationResponse{
			Outcome: &hapaxv1.FailOperationResponse_ClaimLost{ClaimLost: lostWith(replay)}}),
	}
}

// recording is a server that records each operation.
func recording() handlers {
	return handlers{
		"OperationService/BeginOperation":    always[hapaxv1.BeginOperationRequest](acquired()),
		"OperationService/CompleteOperation": always[hapaxv1.CompleteOperationRequest](&hapaxv1.CompleteOperationResponse{}),
		"OperationService/FailOperation":     always[hapaxv1.FailOperationRequest](&hapaxv1.FailOperationResponse{}),
	}
}

func isKind(t *testing.T, err error, kind Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("the error must be %s (was %v)", kind, err)
	}
}
