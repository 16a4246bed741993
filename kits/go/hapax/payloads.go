package hapax

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hapax.dev/kits/go/hapaxv1"
)

// PayloadStore keeps payloads above 128 KiB outside of Hapax, such as in a bucket: inputs of runs, and outputs of operations,
// actions, parts and steps. Hapax keeps the reference and a hash. The store removes nothing that a run may still read.
type PayloadStore interface {
	// Put stores the content before it returns a reference, which is a text of at most some thousand bytes.
	Put(ctx context.Context, content []byte) (ref string, err error)
	Get(ctx context.Context, ref string) (content []byte, err error)
}

const (
	inlinePayload = 128 << 10
	storedType    = "hapax.dev/stored"
	storedPrefix  = `{"@type":"` + storedType + `"`
)

// storedPayload stands for a payload that is in a store. Its JSON is the same in all kits, and begins with storedPrefix.
type storedPayload struct {
	Type   string `json:"@type"`
	Ref    string `json:"ref"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// payload returns the payload of a value. A long one is put into the store; the error is Unavailable if that fails.
func (c *Client) payload(ctx context.Context, value any) (*hapaxv1.Payload, error) {
	content, isBinary, err := contentOf(value)
	if err == nil && c.Payloads != nil && len(content) > inlinePayload {
		s := storedPayload{Type: storedType, SHA256: fmt.Sprintf("%x", sha256.Sum256(content)), Bytes: len(content)}
		if s.Ref, err = c.Payloads.Put(ctx, content); err != nil {
			return nil, unavailable("PAYLOAD_NOT_STORED", err, "a payload of %d bytes could not be stored", len(content))
		}
		content, err = json.Marshal(s)
	}
	if err != nil {
		return nil, err
	}
	return payloadOf(content, isBinary)
}

func unavailable(code string, cause error, format string, argument any) error {
	err := failed(Unavailable, cause, format+": %v", argument, cause)
	err.FailureCode = code
	return err
}

// storedOf returns what a payload stands for, nil if it is not in a store.
func storedOf(payload *hapaxv1.Payload) *storedPayload {
	content := payload.GetBinary()
	if text := payload.GetJson(); strings.HasPrefix(text, storedPrefix) {
		content = []byte(text)
	}
	var s storedPayload
	if !bytes.HasPrefix(content, []byte(storedPrefix)) || json.Unmarshal(content, &s) != nil {
		return nil
	}
	return &s
}

var errNoStore = errors.New("the payload is in a store; connect with Options.Payloads")

// fetched returns the payload itself, or the one in the store that it stands for.
func (c *Client) fetched(ctx context.Context, payload *hapaxv1.Payload) (*hapaxv1.Payload, error) {
	s := storedOf(payload)
	switch {
	case s == nil:
		return payload, nil
	case c.Payloads == nil:
		return nil, errNoStore
	}
	content, err := c.Payloads.Get(ctx, s.Ref)
	if err != nil {
		return nil, unavailable("PAYLOAD_NOT_READ", err, "the stored payload %s could not be read", s.Ref)
	}
	if hash := fmt.Sprintf("%x", sha256.Sum256(content)); len(content) != s.Bytes || hash != s.SHA256 {
		text := fmt.Sprintf("the stored payload %s must have %d bytes with the SHA-256 %s (was %d with %s)", s.Ref, s.Bytes, s.SHA256, len(content), hash)
		return nil, Fail(FinalFailure, "STORED_PAYLOAD_CHANGED", text)
	}
	if payload.GetBinary() != nil {
		return &hapaxv1.Payload{Content: &hapaxv1.Payload_Binary{Binary: content}}, nil
	}
	return jsonPayload(string(content)), nil
}

// Decode stores the value of a payload in the variable that into points to, as the function Decode does. It reads the store.
func (c *Client) Decode(ctx context.Context, payload *hapaxv1.Payload, into any) error {
	payload, err := c.fetched(ctx, payload)
	if err != nil {
		return err
	}
	return Decode(payload, into)
}
