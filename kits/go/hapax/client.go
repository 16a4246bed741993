// Package hapax makes sure a thing happens once: idempotency keys, durable runs, hooks and claims.
package hapax

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hapax.dev/kits/go/hapaxv1"
	"hapax.dev/kits/go/internal/simulation"
)

const (
	tryTimeout    = 5 * time.Second // for the answer of one try, besides the wait of its request
	recordTimeout = time.Minute     // to record work that is done
	pollWait      = 20 * time.Second
	forever       = 100 * 365 * 24 * time.Hour
)

// Options of a client. What is empty comes from the variables of the hapax command: HAPAX_SERVER, HAPAX_TLS, HAPAX_TLS_CA,
// HAPAX_API_KEY, HAPAX_API_KEY_FILE and HAPAX_JWT_FILE.
type Options struct {
	// Server is HOST:PORT, or https://HOST:PORT for TLS. Calls use all addresses of the name in turn. Servers without a common name
	// are a list, HOST:PORT,HOST:PORT.
	Server     string
	Workspace  string
	TLS        *tls.Config // means TLS, by this configuration alone
	CA         string      // a file with certificate authorities; means TLS
	APIKey     string      // is sent with each call
	APIKeyFile string      // a file with the key, which is read again when it changes
	JWTFile    string      // a file with a JSON Web Token instead of a key, which is read again when it changes
	// CallTimeout is how long to repeat a call before work has begun; its last try may end later. 0 = 10 s.
	CallTimeout time.Duration
	Logf        func(format string, arguments ...any)
	Payloads    PayloadStore // of payloads above 128 KiB; nil = a payload has at most 256 KiB

	// Traceparent returns the span of a context as the header traceparent. Without it a run has the one of NewRun.
	Traceparent func(ctx context.Context) string
	// TaskSpan begins the span of a task, in a context for its handler, and returns how it ends. Without it there is none.
	TaskSpan func(ctx context.Context, task *Task) (context.Context, func(err error))

	// Simulation is set by the package hapaxtest only.
	Simulation *simulation.Simulation
}

// Client is the client of a Hapax server. Make one for each process: it is safe for concurrent use.
type Client struct {
	Runs        Runs
	Hooks       Hooks
	Limits      Limits
	Entities    Entities
	Definitions Definitions
	Payloads    PayloadStore // of the Options; do not change it

	connection grpc.ClientConnInterface
	target     string
	workspace  string
	bearer     *bearer
	timeout    time.Duration // of calls before work has begun
	logf       func(format string, arguments ...any)
	options    Options
	isAway     int32            // 1 while polls have no answer
	now        func() time.Time // by which waits and pauses of runs are measured
	beforePart func(part string) error
}

// Connect returns a client. It fails for settings that contradict each other, or that would send the key or token without TLS to
// another machine. It does not wait for the server.
func Connect(options Options) (*Client, error) {
	if s := options.Simulation; s != nil {
		return newClient(options, "the simulation", s.Connection, &bearer{}), nil
	}
	server := first(options.Server, env("HAPAX_SERVER"), "127.0.0.1:7420")
	keyText, keyFile, jwtFile := options.APIKey, options.APIKeyFile, options.JWTFile
	if keyText+keyFile+jwtFile == "" {
		keyText, keyFile, jwtFile = env("HAPAX_API_KEY"), env("HAPAX_API_KEY_FILE"), env("HAPAX_JWT_FILE")
	}
	if set := env("HAPAX_TLS"); set != "" && set != "true" && set != "false" {
		return nil, fmt.Errorf("HAPAX_TLS must be true or false (was %s)", set)
	}
	targets, err := targetsOf(server)
	if err != nil {
		return nil, err
	}
	if options.CallTimeout < 0 {
		return nil, fmt.Errorf("CallTimeout must not be negative (was %v)", options.CallTimeout)
	}
	bearer := &bearer{text: strings.TrimSpace(keyText), file: first(keyFile, jwtFile)}
	if keyText != "" && bearer.file != "" || keyFile != "" && jwtFile != "" {
		return nil, errors.New("only one of the API key, its file and the JWT file can be set; unset the others")
	}
	secure, err := tlsConfig(options, strings.Contains(server, "https://") || env("HAPAX_TLS") == "true")
	if err != nil {
		return nil, err
	}
	if bearer.text+bearer.file != "" && secure == nil && !areLoopback(targets) {
		return nil, fmt.Errorf("the API key or JWT is not sent to %s without TLS; set TLS, or HAPAX_TLS_CA", server)
	}
	if _, err := bearer.read(); err != nil {
		return nil, err
	}
	security := grpc.WithInsecure()
	if secure != nil {
		security = grpc.WithTransportCredentials(credentials.NewTLS(secure)) // which clones it
	}
	servers, target := resolverOf(targets)
	connection, err := grpc.Dial(target, security, servers,
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}]}`), // one connection for each address
		grpc.WithDisableServiceConfig(), // of DNS
		grpc.WithDisableRetry(),         // this kit repeats calls by itself
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: tryTimeout,
		}))
	if err != nil {
		return nil, err
	}
	return newClient(options, strings.Join(targets, ","), connection, bearer), nil
}

func newClient(options Options, target string, connection grpc.ClientConnInterface, bearer *bearer) *Client {
	c := &Client{
		connection: connection, target: target, workspace: options.Workspace, bearer: bearer, logf: options.Logf, options: options,
		Payloads: options.Payloads, timeout: options.CallTimeout,
		now: time.Now, beforePart: func(string) error { return nil },
	}
	if c.logf == nil {
		c.logf = log.Printf
	}
	if c.timeout == 0 {
		c.timeout = 10 * time.Second
	}
	if s := options.Simulation; s != nil && s.Now != nil {
		c.now = s.Now
	}
	if s := options.Simulation; s != nil && s.BeforePart != nil {
		c.beforePart = s.BeforePart
	}
	c.Runs, c.Hooks, c.Limits, c.Entities, c.Definitions = Runs{c}, Hooks{c}, Limits{c}, Entities{c}, Definitions{c}
	return c
}

// tlsConfig returns nil without TLS.
func tlsConfig(options Options, isTLS bool) (*tls.Config, error) {
	ca := first(options.CA, env("HAPAX_TLS_CA"))
	switch {
	case options.TLS != nil && options.CA != "":
		return nil, errors.New("only one of TLS and CA can be set; put the authorities into RootCAs of TLS")
	case options.TLS != nil:
		return options.TLS, nil
	case ca == "" && !isTLS:
		return nil, nil
	case ca == "":
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	content, err := os.ReadFile(ca)
	authorities := x509.NewCertPool()
	if err == nil && !authorities.AppendCertsFromPEM(content) {
		err = fmt.Errorf("the file %s has no certificates in PEM", ca)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities}, err
}

// Close closes the connection. End workers and janitors before.
func (c *Client) Close() error {
	if connection, isOpen := c.connection.(io.Closer); isOpen {
		return connection.Close()
	}
	return nil
}

// Call calls any method, such as RunService/ListRuns, with the retries of this kit. It sets the workspace of the request.
func (c *Client) Call(ctx context.Context, method string, request, response proto.Message) error {
	_, err := c.send(ctx, method, request, response, budget{giveUp: c.timeout})
	return err
}

// call returns the response of Call.
func call[R proto.Message](ctx context.Context, c *Client, method string, request proto.Message, response R) (R, error) {
	return response, c.Call(ctx, method, request, response)
}

// ended is the response to the end of work.
type ended interface {
	proto.Message
	GetClaimLost() *hapaxv1.ClaimLost
}

// recordEnd returns why the end of work is not recorded, nil if it is.
func (c *Client) recordEnd(ctx context.Context, method string, request proto.Message, response ended) (*hapaxv1.ClaimLost, error) {
	_, err := c.record(ctx, method, request, response)
	return response.GetClaimLost(), err
}

// record sends the end of work, which is done: longer, while the key is not accepted, and after the caller has gone.
func (c *Client) record(ctx context.Context, method string, request, response proto.Message) (answer, error) {
	return c.send(detached{ctx}, method, request, response, budget{giveUp: recordTimeout, ofHolder: true})
}

// budget says how long the server may hold a request on purpose, and how long the kit repeats it.
type budget struct {
	wait, giveUp time.Duration
	ofHolder     bool
}

// answer says when a request was sent, and how long its answer took.
type answer struct {
	sentAt    time.Time
	roundTrip time.Duration
}

// send sends a request until it is answered, the error would repeat, or the time is over.
func (c *Client) send(ctx context.Context, method string, request, response proto.Message, b budget) (answer, error) {
	if workspace := request.ProtoReflect().Descriptor().Fields().ByName("workspace"); workspace != nil {
		request.ProtoReflect().Set(workspace, protoreflect.ValueOfString(c.workspace))
	}
	if _, err := proto.Marshal(request); err != nil { // such as a text that is no UTF-8
		return answer{}, &Error{Kind: Refused, Code: codes.InvalidArgument, Message: err.Error(), cause: err}
	}
	giveUpAt := time.Now().Add(b.wait + b.giveUp)
	for retry := 0; ; retry++ {
		answered, err := c.tryOnce(ctx, method, request, response, tryTimeout+b.wait)
		if err == nil {
			if b.giveUp == forever && atomic.CompareAndSwapInt32(&c.isAway, 1, 0) {
				c.logf("hapax: %s answers again", c.target)
			}
			return answered, nil
		}
		pause, again := err.Pause(retry, b.ofHolder)
		// no other sees the errors of a poll; the first one may be that of a connection that was closed
		if again && retry == 1 && b.giveUp == forever && atomic.CompareAndSwapInt32(&c.isAway, 0, 1) {
			c.logf("hapax: %s does not answer, will retry until it does; check that it runs, and Options.Server or HAPAX_SERVER: %v",
				c.target, err)
		}
		if again && time.Now().Add(pause).Before(giveUpAt) && sleep(ctx, pause) {
			continue
		}
		if ctx.Err() != nil {
			err.cause = ctx.Err()
		}
		return answer{}, err
	}
}

func (c *Client) tryOnce(ctx context.Context, method string, request, response proto.Message, timeout time.Duration) (answer, *Error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	credential, err := c.bearer.read()
	if err != nil {
		c.logf("hapax: the former key or token is used: %v", err)
	}
	if credential != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+credential)
	}
	sentAt := time.Now()
	if err := c.connection.Invoke(ctx, "/hapax.v1."+method, request, response); err != nil {
		return answer{}, ErrorOf(err)
	}
	if unknown := unknownIn(response, "outcome"); unknown != "" {
		err := failed(UnknownAnswer, nil, "Hapax answered %s with an outcome that this package does not know (%s); upgrade it", method, unknown)
		err.Code = codes.Unimplemented
		return answer{}, err
	}
	return answer{sentAt, time.Since(sentAt)}, nil
}

// detached keeps the values of a context, but not its end.
type detached struct{ context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }

// sleep returns false if the context ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// bearer is the API key or JWT of each call; that of a file is read again for each, so that a new one counts at once.
type bearer struct {
	mutex      sync.Mutex
	text, file string
}

// read returns the former one with the error if the file cannot be read.
func (b *bearer) read() (string, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.file == "" {
		return b.text, nil
	}
	content, err := os.ReadFile(b.file)
	if err == nil {
		b.text = strings.TrimSpace(string(content))
	}
	return b.text, err
}

func env(name string) string { return strings.TrimSpace(os.Getenv(name)) }

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// newID returns a random UUID.
func newID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		log.Fatalf("hapax: the system has no random numbers: %v", err)
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
