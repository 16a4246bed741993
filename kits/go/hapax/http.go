package hapax

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Idempotency makes HTTP handlers idempotent by the header Idempotency-Key.
//
// The first request with a key runs the handler, and its response is recorded. Each later one gets that response with the
// header Idempotent-Replayed: true. While the first is in progress, others get 409; the same key with another request gets
// 422. A response of 500 or above frees the key. Requests and responses are held in memory.
type Idempotency struct {
	Client   *Client
	Methods  []string                     // nil = POST and PATCH
	Account  func(r *http.Request) string // on whose behalf; without it, who knows a key and its request gets the response
	Required bool                         // refuses requests without a key
	Lease    time.Duration                // 0 = 60 s
}

// Handler returns the handler with idempotency.
func (i *Idempotency) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.applies(r) {
			i.respond(w, r, next).write(w)
		} else {
			next.ServeHTTP(w, r)
		}
	})
}

func (i *Idempotency) applies(r *http.Request) bool {
	methods := i.Methods
	if methods == nil {
		methods = []string{http.MethodPost, http.MethodPatch}
	}
	return contains(methods, r.Method) && (i.Required || first(r.Header.Values("Idempotency-Key")...) != "")
}

func contains(all []string, text string) bool {
	for _, each := range all {
		if each == text {
			return true
		}
	}
	return false
}

func (i *Idempotency) respond(w http.ResponseWriter, r *http.Request, next http.Handler) *response {
	keys := r.Header.Values("Idempotency-Key")
	key := first(keys...)
	path, query := target(r)
	operation := Operation{Name: r.Method + " " + path, RequestID: key, Lease: i.Lease}
	if key == "" || len(keys) > 1 {
		return problem(http.StatusBadRequest, "this request needs the header Idempotency-Key, once", 0)
	}
	if i.Account != nil {
		operation.Account = i.Account(r)
	}
	if err := CheckKey(key); err != nil {
		return problem(http.StatusBadRequest, err.Error(), 0)
	}
	for field, text := range map[string]string{"the path": operation.Name, "the account": operation.Account} {
		if err := CheckName(field, text); err != nil {
			return problem(http.StatusBadRequest, err.Error(), 0)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return problem(http.StatusBadRequest, "the body could not be read", 0)
	}
	operation.Input = append([]byte(query+"\n"), body...)
	var answer *response
	replayed, kept, err := i.Client.once(r.Context(), operation, func(ctx context.Context, _ *Claim) (any, error) {
		ours := &response{wire: w, header: http.Header{}}
		request := r.Clone(ctx)
		request.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(ours, request)
		ours.WriteHeader(http.StatusOK)
		answer = ours
		if ours.Status >= 500 {
			return nil, Fail(RetryableFailure, fmt.Sprintf("HTTP_%d", ours.Status), "")
		}
		return ours.keep(), nil
	})
	switch kind := kindOf(err); {
	case replayed:
		answer, err = decoded[*response](kept)
		if err == nil && answer != nil {
			answer.Headers = append(answer.Headers, [2]string{"Idempotent-Replayed", "true"})
			return answer
		}
		err = failed(NotRetained, err, "the recorded result is no response")
	case answer != nil && (err == nil || kind.isFailure() || kind == Unrecorded):
		return answer
	}
	refused := i.Client.refusal(err)
	return problem(refused.status, refused.text, int((refused.retryAfter+time.Second-1)/time.Second))
}

// target returns the path and the query as they were sent: a router may have changed the URL since.
func target(r *http.Request) (path, query string) {
	sent := first(r.RequestURI, r.URL.RequestURI())
	if !strings.HasPrefix(sent, "/") { // a proxy's request has the scheme and the host
		_, rest, _ := strings.Cut(sent, "://")
		sent = strings.TrimLeftFunc(rest, func(each rune) bool { return each != '/' && each != '?' })
	}
	path, query, _ = strings.Cut(sent, "?")
	return first(path, "/"), query
}

func problem(status int, detail string, retryAfter int) *response {
	body, _ := json.Marshal(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
	p := &response{Status: status, Headers: [][2]string{{"Content-Type", "application/problem+json"}}, Body: body}
	if retryAfter > 0 {
		p.Headers = append(p.Headers, [2]string{"Retry-After", fmt.Sprint(retryAfter)})
	}
	return p
}

// response is what a handler answered, as it is kept.
type response struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    []byte      `json:"body"`
	header  http.Header
	wire    http.ResponseWriter // for informational responses
}

func (r *response) Header() http.Header { return r.header }

// WriteHeader keeps the first final status. Informational ones are sent at once, with the headers so far.
func (r *response) WriteHeader(status int) {
	switch {
	case r.Status != 0:
	case status >= 200 || status == http.StatusSwitchingProtocols:
		r.Status = status
		r.header = r.header.Clone()
	default:
		headers := r.wire.Header()
		former := headers.Clone()
		for name, values := range r.header {
			headers[name] = values
		}
		r.wire.WriteHeader(status)
		for name := range r.header {
			delete(headers, name)
			if values, isThere := former[name]; isThere {
				headers[name] = values
			}
		}
	}
}

func (r *response) Write(content []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.Body = append(r.Body, content...)
	return len(content), nil
}

// keep lists the headers, and names the type of the body, as net/http does.
func (r *response) keep() *response {
	if r.header.Get("Content-Type") == "" && len(r.Body) > 0 {
		r.header.Set("Content-Type", http.DetectContentType(r.Body))
	}
	for name, values := range r.header {
		for _, value := range values {
			r.Headers = append(r.Headers, [2]string{name, value})
		}
	}
	return r
}

func (r *response) write(w http.ResponseWriter) {
	if r.Headers == nil {
		r.keep()
	}
	for _, header := range r.Headers {
		w.Header().Add(header[0], header[1])
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body)
}
