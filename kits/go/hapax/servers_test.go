package hapax

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// countingServer returns the address of a server, how often it was called, and what stops it.
func countingServer(t *testing.T) (address string, calls *int32, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = new(int32)
	server := handlers{"RunService/GetRun": on(func(context.Context, *hapaxv1.GetRunRequest) (proto.Message, error) {
		atomic.AddInt32(calls, 1)
		return &hapaxv1.GetRunResponse{Run: &hapaxv1.Run{Id: "run"}}, nil
	})}.serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String(), calls, server.Stop
}

func get(t *testing.T, client *Client) {
	t.Helper()
	if _, err := client.Runs.Get(context.Background(), "run"); err != nil {
		t.Fatal(err)
	}
}

func TestListOfServers(t *testing.T) {
	first, callsOfFirst, stop := countingServer(t)
	second, callsOfSecond, _ := countingServer(t)
	client, err := Connect(Options{Server: first + ", " + second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	await(t, "both servers are called", func() bool {
		get(t, client)
		return atomic.LoadInt32(callsOfFirst) > 0 && atomic.LoadInt32(callsOfSecond) > 0
	})
	atomic.StoreInt32(callsOfFirst, 0)
	atomic.StoreInt32(callsOfSecond, 0)
	for i := 0; i < 20; i++ {
		get(t, client)
	}
	if *callsOfFirst != 10 || *callsOfSecond != 10 {
		t.Errorf("the servers must be called in turn (were %d and %d times)", *callsOfFirst, *callsOfSecond)
	}
	stop()
	for i := 0; i < 20; i++ {
		get(t, client)
	}
	if *callsOfSecond < 30 {
		t.Errorf("the server that is left must be called (was %d times)", *callsOfSecond)
	}
}

// A name is resolved by DNS, which finds all its addresses.
func TestTarget(t *testing.T) {
	for server, expected := range map[string]string{
		"hapax.internal:7420":     "dns:///hapax.internal:7420",
		"hapax.internal":          "dns:///hapax.internal",
		"[::1]:7420":              "dns:///[::1]:7420",
		"passthrough:///hapax:74": "passthrough:///hapax:74",
		"dns://1.1.1.1/hapax:742": "dns://1.1.1.1/hapax:742",
	} {
		if _, target := resolverOf([]string{server}); target != expected {
			t.Errorf("the target of %s must be %s (was %s)", server, expected, target)
		}
	}
}

// Each server of a list is verified by its own name.
func TestListWithTLS(t *testing.T) {
	address, authority := tlsServer(t)
	_, port, _ := net.SplitHostPort(address)
	var names sync.Map
	config := &tls.Config{RootCAs: authorities(authority), InsecureSkipVerify: true, VerifyConnection: func(state tls.ConnectionState) error {
		names.Store(state.ServerName, true)
		return nil
	}}
	client, err := Connect(Options{Server: "https://localhost:" + port + "," + address, TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	await(t, "both names are verified", func() bool {
		_, err := client.Runs.Get(context.Background(), "run")
		isKind(t, err, Refused)
		_, isNamed := names.Load("localhost")
		_, isAddress := names.Load("")
		return isNamed && isAddress
	})
}

func TestCallTimeout(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	client, err := Connect(Options{Server: address, CallTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	begun := time.Now()
	_, err = client.Runs.Get(context.Background(), "run")
	isKind(t, err, Unavailable)
	if !strings.Contains(err.Error(), address) {
		t.Errorf("the error must have the address (was %v)", err)
	}
	if elapsed := time.Since(begun); elapsed > 5*time.Second {
		t.Errorf("the call must end after its timeout (ended after %v)", elapsed)
	}
}
