package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"hapax.dev/kits/go/hapax"
)

type vector struct {
	JSON      *string
	Base64    *string
	Text      json.RawMessage
	Name      string
	Code      codes.Code
	Reason    *string
	AdvisedMs *int64 `json:"advised_ms"`
	Holder    bool
	Server    string
	Retry     int
}

// vectors returns the value of each vector in the file.
func vectors(_ context.Context, c command) (any, error) {
	var file struct {
		Function string
		Vectors  []vector
	}
	text, err := os.ReadFile(c.File)
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return nil, err
	}
	functions := map[string]func(vector) any{"fingerprint": fingerprint, "name": isName, "part_name": isPartName, "header_key": isHeaderKey, "server": isServer, "pause": pause, "error": kind}
	values := make([]any, len(file.Vectors))
	for i, each := range file.Vectors {
		values[i] = functions[file.Function](each)
	}
	return values, nil
}

func isPartName(v vector) any { return hapax.CheckPartName(v.Name) == nil }

func isHeaderKey(v vector) any {
	content, err := base64.StdEncoding.DecodeString(*v.Base64)
	return err == nil && hapax.CheckKey(string(content)) == nil
}

func isServer(v vector) any {
	client, err := hapax.Connect(hapax.Options{Server: v.Server})
	if err == nil {
		err = client.Close()
	}
	return err == nil
}

func fingerprint(v vector) any {
	var input any
	if v.JSON != nil {
		input = json.RawMessage(*v.JSON)
	}
	if v.Base64 != nil {
		content, err := base64.StdEncoding.DecodeString(*v.Base64)
		if err != nil {
			return err.Error()
		}
		input = content
	}
	sum, err := hapax.Fingerprint(input)
	if err != nil {
		return nil
	}
	return hex.EncodeToString(sum)
}

var surrogate = regexp.MustCompile(`(?i)^"[^\\]*\\ud[89ab]..[^\\]*"$|(?i)^"\\ud[c-f]..`)

// isName gives an unpaired surrogate as the bytes that other languages make of it: Go decodes it as U+FFFD.
func isName(v vector) any {
	var text string
	if err := json.Unmarshal(v.Text, &text); err != nil {
		return err.Error()
	}
	if surrogate.Match(v.Text) {
		text = strings.ReplaceAll(text, "\ufffd", "\xed\xa0\x80")
	}
	return hapax.CheckName("text", text) == nil
}

func callError(v vector) *hapax.Error {
	s := status.New(v.Code, "")
	if v.Reason != nil {
		s, _ = s.WithDetails(&errdetails.ErrorInfo{Reason: *v.Reason})
	}
	if v.AdvisedMs != nil {
		s, _ = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(milliseconds(*v.AdvisedMs))})
	}
	return hapax.ErrorOf(s.Err())
}

func pause(v vector) any {
	pause, again := callError(v).Pause(v.Retry, v.Holder)
	if !again {
		return nil
	}
	return float64(pause) / float64(time.Millisecond)
}

func kind(v vector) any { return fmt.Sprint(callError(v).Kind) }
