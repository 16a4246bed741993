package hapax

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapax.dev/kits/go/hapaxv1"
)

// tlsServer returns the address of a server with TLS, and its authority. It refuses each call.
func tlsServer(t *testing.T) (address string, authority *x509.Certificate) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), server.Certificate()
}

func authorities(certificate *x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return pool
}

// The configuration of the user decides all of TLS, and the kit does not change it.
func TestTLSOfUser(t *testing.T) {
	address, authority := tlsServer(t)
	var serverNames []string
	config := &tls.Config{
		RootCAs: authorities(authority), ServerName: "example.com", MaxVersion: tls.VersionTLS12,
		VerifyConnection: func(state tls.ConnectionState) error {
			serverNames = append(serverNames, state.ServerName)
			if state.Version != tls.VersionTLS12 {
				t.Errorf("the version must be that of the configuration (was %x)", state.Version)
			}
			return nil
		},
	}
	t.Setenv("HAPAX_TLS_CA", filepath.Join(t.TempDir(), "of another server"))
	client, err := Connect(Options{Server: address, TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	config.ServerName = "changed later"
	_, err = client.Runs.Get(context.Background(), "run")
	isKind(t, err, Refused)
	if len(serverNames) != 1 || serverNames[0] != "example.com" {
		t.Errorf("the server must be verified once, as example.com (was %v)", serverNames)
	}
	if config.NextProtos != nil || config.MinVersion != 0 {
		t.Errorf("the configuration must not be changed (was %v, %v)", config.NextProtos, config.MinVersion)
	}
}

func TestAuthoritiesOfFile(t *testing.T) {
	address, authority := tlsServer(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := Connect(Options{Server: address, CA: file})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Runs.Get(context.Background(), "run")
	isKind(t, err, Refused)
}

func TestContradictions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for expected, options := range map[string]Options{
		"RootCAs":              {TLS: &tls.Config{}, CA: empty},
		"has no certificates":  {CA: empty},
		"no such file":         {CA: empty + "-not"},
		"without http://":      {TLS: &tls.Config{}, Server: "http://127.0.0.1:7420"},
		"or a list HOST:PORT":  {Server: "127.0.0.1:7420,127.0.0.2"},
		"CallTimeout must not": {CallTimeout: -1},
		"only one of":          {APIKey: "k", JWTFile: empty},
		"not sent to hapax:74": {APIKey: "k", Server: "hapax:7420"},
		"not sent to [::1]:1,": {APIKey: "k", Server: "[::1]:1,hapax:7420"},
	} {
		if _, err := Connect(options); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%+v must be refused with %q (was %v)", options, expected, err)
		}
	}
}

// A worker without a server says so once for each outage, and that the server is back.
func TestOutages(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	client, lines := connect(t, address)
	server := handlers{"WorkerService/PollTasks": always[hapaxv1.PollTasksRequest](&hapaxv1.PollTasksResponse{})}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		worker := &Worker{Client: client, Queues: []string{"q"}, Steps: map[string]Handler{}}
		ended <- worker.Run(ctx)
	}()
	for outage := 1; outage <= 2; outage++ {
		await(t, "the outage is logged", func() bool { return len(lines.with("does not answer")) == outage })
		if listener, err = net.Listen("tcp", address); err != nil {
			t.Fatal(err)
		}
		running := server.serve(listener)
		await(t, "the reconnect is logged", func() bool { return len(lines.with("answers again")) == outage })
		running.Stop()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, line := range lines.with("does not answer") {
		if !strings.Contains(line, address) || !strings.Contains(line, "HAPAX_SERVER") {
			t.Errorf("the line must have the target and what to do (was %s)", line)
		}
	}
}
