package hapax

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

func serveHTTP(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// exchange sends a request as it is written here, and returns each response in the order of their arrival.
func exchange(t *testing.T, server *httptest.Server, request string, responses int) []*http.Response {
	t.Helper()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(patience))
	fmt.Fprint(connection, strings.ReplaceAll(request, "\n", "\r\n"))
	reader := bufio.NewReader(connection)
	var all []*http.Response
	for len(all) < responses {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("after %d responses: %v", len(all), err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body = io.NopCloser(strings.NewReader(string(body)))
		all = append(all, response)
	}
	return all
}

func post(path, headers string) string {
	return "POST " + path + " HTTP/1.1\nHost: shop\nContent-Length: 2\n" + headers + "\n30"
}

const withKey = "Idempotency-Key: k\n"

func body(r *http.Response) string {
	content, _ := io.ReadAll(r.Body)
	return string(content)
}

func TestInformationalResponses(t *testing.T) {
	var kept *response
	server := recording()
	server["OperationService/CompleteOperation"] = on(func(_ context.Context, request *hapaxv1.CompleteOperationRequest) (proto.Message, error) {
		kept, _ = decoded[*response](request.GetResult())
		return &hapaxv1.CompleteOperationResponse{}, nil
	})
	client, _ := server.client(t)
	pay := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusProcessing)
		w.WriteHeader(http.StatusCreated)
		w.WriteHeader(http.StatusOK)
		fmt.Fprint(w, "paid")
	}
	outer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "7")
		(&Idempotency{Client: client}).Handler(http.HandlerFunc(pay)).ServeHTTP(w, r)
	}
	for _, response := range exchange(t, serveHTTP(t, http.HandlerFunc(outer)), post("/pay", withKey), 3) {
		if links := response.Header.Values("Link"); len(links) != 1 {
			t.Errorf("%s must have the header of the handler once (was %q)", response.Status, links)
		}
		if response.StatusCode >= 200 && (response.StatusCode != 201 || body(response) != "paid" || response.Header.Get("X-Request-Id") != "7") {
			t.Errorf("the final response must be the handler's (was %v)", response)
		}
	}
	if kept == nil || kept.Status != http.StatusCreated {
		t.Errorf("the final status must be recorded (was %+v)", kept)
	}
}

// A holder that was overtaken answers what the record says, not what it did itself.
func TestOvertakenHandler(t *testing.T) {
	theirs, err := Payload(&response{Status: 202, Headers: [][2]string{{"Content-Type", "text/plain"}}, Body: []byte("theirs")})
	if err != nil {
		t.Fatal(err)
	}
	for _, ours := range []int{http.StatusCreated, http.StatusBadGateway} {
		pay := func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(ours)
			fmt.Fprint(w, "ours")
		}
		for _, expected := range []struct {
			replay                     *hapaxv1.Replay
			status                     int
			body, replayed, retryAfter string
		}{
			{replayOf(theirs), 202, "theirs", "true", ""},
			{&hapaxv1.Replay{Failure: &hapaxv1.Failure{Code: "DECLINED"}}, 409, "failed for good", "", ""},
			{nil, 409, "took over", "", "1"},
		} {
			client, _ := overtakenBy(expected.replay).client(t)
			server := serveHTTP(t, (&Idempotency{Client: client}).Handler(http.HandlerFunc(pay)))
			got := exchange(t, server, post("/pay", withKey), 1)[0]
			if got.StatusCode != expected.status || !strings.Contains(body(got), expected.body) ||
				got.Header.Get("Idempotent-Replayed") != expected.replayed || got.Header.Get("Retry-After") != expected.retryAfter {
				t.Errorf("with %d: the response must be %+v (was %v)", ours, expected, got)
			}
		}
	}
}

// The handler's own response is sent if its failure, or its success, could not be recorded.
func TestUnrecordedHandler(t *testing.T) {
	for _, ours := range []int{http.StatusCreated, http.StatusBadGateway} {
		server := recording()
		delete(server, "OperationService/CompleteOperation")
		delete(server, "OperationService/FailOperation")
		client, _ := server.client(t)
		pay := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(ours) }
		handler := (&Idempotency{Client: client}).Handler(http.HandlerFunc(pay))
		if got := exchange(t, serveHTTP(t, handler), post("/pay", withKey), 1)[0]; got.StatusCode != ours {
			t.Errorf("the status must be %d (was %d)", ours, got.StatusCode)
		}
	}
}

// The operation is the path as it was sent, whatever a router has made of it.
func TestPathAsSent(t *testing.T) {
	for sent, expected := range map[string][2]string{
		"/v1/pay":                             {"POST /v1/pay", ""},
		"/v1/pay?a=%2F&&b":                    {"POST /v1/pay", "a=%2F&&b"},
		"/v1/a%2Fb%20c?":                      {"POST /v1/a%2Fb%20c", ""},
		"/v1/%7Euser/?x?y":                    {"POST /v1/%7Euser/", "x?y"},
		"http://example.com:80/v1/a%2fb?a":    {"POST /v1/a%2fb", "a"},
		"http://example.com?a":                {"POST /", "a"},
		"/v1/redirect?to=http://example.com/": {"POST /v1/redirect", "to=http://example.com/"},
	} {
		var begun *hapaxv1.BeginOperationRequest
		server := recording()
		server["OperationService/BeginOperation"] = on(func(_ context.Context, request *hapaxv1.BeginOperationRequest) (proto.Message, error) {
			begun = request
			return acquired(), nil
		})
		client, _ := server.client(t)
		pay := func(w http.ResponseWriter, r *http.Request) {}
		handler := http.StripPrefix("/v1", (&Idempotency{Client: client}).Handler(http.HandlerFunc(pay)))
		if !strings.Contains(sent, "/v1") {
			handler = (&Idempotency{Client: client}).Handler(http.HandlerFunc(pay))
		}
		exchange(t, serveHTTP(t, handler), post(sent, withKey), 1)
		fingerprint, _ := Fingerprint([]byte(expected[1] + "\n30"))
		if begun.GetOperation() != expected[0] || string(begun.GetFingerprint()) != string(fingerprint) {
			t.Errorf("the operation of %s must be %q (was %v)", sent, expected, begun)
		}
	}
}

func TestKeysOfHTTP(t *testing.T) {
	for headers, expected := range map[string]int{
		withKey: 200, withKey + withKey: 400, withKey + "Idempotency-Key:\n": 400, "Idempotency-Key:\n" + withKey: 400,
		"Idempotency-Key:\n": 200, "": 200,
	} {
		client, _ := recording().client(t)
		ran := false
		pay := func(w http.ResponseWriter, r *http.Request) { ran = true }
		got := exchange(t, serveHTTP(t, (&Idempotency{Client: client}).Handler(http.HandlerFunc(pay))), post("/pay", headers), 1)[0]
		if got.StatusCode != expected || ran != (expected == 200) {
			t.Errorf("the status with %q must be %d (was %d, and the handler has run: %t)", headers, expected, got.StatusCode, ran)
		}
	}
}
