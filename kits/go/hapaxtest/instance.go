// Package hapaxtest tests workflows: on Hapax in memory, with a clock that the test advances; without a server, in this
// process; and against the records of runs that older code has begun.
package hapaxtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapax"
	"hapax.dev/kits/go/hapaxv1/testv1"
	"hapax.dev/kits/go/internal/simulation"
)

const notFound = "no test server found: set HAPAX_HOME to a Hapax distribution or checkout, put its `hapax` on the PATH, " +
	"or set HAPAX_TEST_SERVER to the address of a running `hapax test-server`"

// Instance is Hapax in memory, for one test. Its clock starts at 2026-01-01T00:00:00Z, and only Advance moves it.
type Instance struct {
	Client  *hapax.Client // is closed when the test ends
	Address string        // HOST:PORT, for other clients

	t       testing.TB
	control *grpc.ClientConn
	id      string
	mutex   sync.Mutex
	isOver  bool
}

// Start returns an instance that is deleted when the test ends. The first call in a process starts `hapax test-server`, which
// ends with this process. It is found by the variables HAPAX_TEST_SERVER, the address of one that runs, or HAPAX_HOME, the
// folder of a distribution or checkout, or else on the PATH. The log of the client is that of the test.
func Start(t testing.TB) *Instance {
	t.Helper()
	control, err := testServer()
	if err != nil {
		t.Fatal(err)
	}
	i := &Instance{t: t, control: control}
	created := &testv1.CreateInstanceResponse{}
	i.call("CreateInstance", &testv1.CreateInstanceRequest{}, created)
	i.id, i.Address = created.GetInstance(), created.GetAddress()
	connection, err := grpc.Dial(i.Address, grpc.WithInsecure())
	if err == nil {
		i.Client, err = hapax.Connect(hapax.Options{Logf: i.logf, Simulation: &simulation.Simulation{Connection: connection}})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.end)
	return i
}

// Work runs the worker with the client of this instance until the test ends. When it returns, the workflows of the worker are
// registered.
func (i *Instance) Work(worker hapax.Worker) {
	i.t.Helper()
	worker.Client = i.Client
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	i.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			i.t.Error(err)
		}
	})
	if err := worker.Register(ctx); err != nil {
		ended <- nil
		i.t.Fatal(err)
	}
	go func() { ended <- worker.Run(ctx) }()
}

// Advance advances the clock, at most 3,650 days. It stops at each time at which work is due, and continues when the workers
// have done that work. When it returns, the workers are idle. The test fails if a task is still held after 30 s of real time.
func (i *Instance) Advance(by time.Duration) {
	i.t.Helper()
	i.call("Advance", &testv1.AdvanceRequest{Instance: i.id, By: durationpb.New(by)}, &testv1.AdvanceResponse{})
}

// Settle waits until the workers are idle: no task is held, and none is ready in a queue that a worker polls. It fails as
// Advance does.
func (i *Instance) Settle() {
	i.t.Helper()
	i.call("Settle", &testv1.SettleRequest{Instance: i.id}, &testv1.SettleResponse{})
}

func (i *Instance) call(rpc string, request, response proto.Message) {
	i.t.Helper()
	if err := i.control.Invoke(context.Background(), "/hapax.test.v1.TestServerService/"+rpc, request, response); err != nil {
		i.t.Fatalf("the test server: %s: %v", rpc, hapax.ErrorOf(err))
	}
}

func (i *Instance) end() {
	i.mutex.Lock()
	i.isOver = true
	i.mutex.Unlock()
	i.call("DeleteInstance", &testv1.DeleteInstanceRequest{Instance: i.id}, &testv1.DeleteInstanceResponse{})
	_ = i.Client.Close()
}

// logf drops lines after the test: they would be a panic.
func (i *Instance) logf(format string, arguments ...any) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if !i.isOver {
		i.t.Logf(format, arguments...)
	}
}

var server struct {
	once       sync.Once
	connection *grpc.ClientConn
	input      io.Closer // is open as long as this process; the test server ends with it
	err        error
}

// testServer returns the connection to the test server of this process, which the first call starts.
func testServer() (*grpc.ClientConn, error) {
	server.once.Do(func() {
		address := os.Getenv("HAPAX_TEST_SERVER")
		if address == "" {
			if address, server.input, server.err = launch(); server.err != nil {
				return
			}
		}
		server.connection, server.err = grpc.Dial(address, grpc.WithInsecure())
	})
	return server.connection, server.err
}

// launch starts a test server, and returns its address and input.
func launch() (string, io.Closer, error) {
	program := filepath.Join(os.Getenv("HAPAX_HOME"), "hapax")
	if os.Getenv("HAPAX_HOME") == "" {
		var err error
		if program, err = exec.LookPath("hapax"); err != nil {
			return "", nil, errors.New(notFound)
		}
	}
	command := exec.Command(program, "test-server")
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, fmt.Errorf("%s test-server does not start: %w; check HAPAX_HOME", program, err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("%s test-server ended before it served (%v); its messages are above", program, command.Wait())
	}
	return strings.TrimSpace(line), input, nil
}
