package hapax

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Interceptor makes unary gRPC methods idempotent by the metadata idempotency-key.
//
// The first call with a key runs the handler, and its response is recorded. Each later one gets that response with the
// trailer idempotent-replayed: true. While the first is in progress, others get ABORTED; the same key with another request
// gets FAILED_PRECONDITION. A handler that fails frees the key. The codes and reasons are those of the Java client.
type Interceptor struct {
	Client   *Client
	Methods  []string                         // such as shop.v1.Shop/Charge; nil = all
	Account  func(ctx context.Context) string // on whose behalf; without it, who knows a key and its request gets the response
	Required bool                             // refuses calls without a key
	Lease    time.Duration                    // 0 = 60 s
}

// Unary is for grpc.UnaryInterceptor. Put authentication before it.
func (i *Interceptor) Unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	received, _ := metadata.FromIncomingContext(ctx)
	keys := received.Get("idempotency-key")
	operation := Operation{Name: strings.TrimPrefix(info.FullMethod, "/"), RequestID: first(keys...), Lease: i.Lease}
	applies := i.Methods == nil || contains(i.Methods, operation.Name)
	if !applies || operation.RequestID == "" && !i.Required {
		return next(ctx, request)
	}
	if operation.RequestID == "" {
		return nil, invalidKey("IDEMPOTENCY_KEY_REQUIRED", "the method requires the header idempotency-key").send(ctx)
	}
	if err := CheckKey(operation.RequestID); err != nil || len(keys) > 1 {
		text := "idempotency-key must occur once, with at most 255 characters of printable ASCII"
		return nil, invalidKey("IDEMPOTENCY_KEY_INVALID", text).send(ctx)
	}
	response, err := responseOf(operation.Name)
	if err == nil {
		operation.Input, err = marshal(request)
	}
	if err != nil {
		return nil, i.Client.refusal(err).send(ctx)
	}
	if i.Account != nil {
		operation.Account = i.Account(ctx)
	}
	var content []byte
	var failed error
	replayed, kept, err := i.Client.once(ctx, operation, func(ctx context.Context, _ *Claim) (any, error) {
		var answer any
		if answer, failed = next(ctx, request); failed == nil {
			content, failed = marshal(answer)
		}
		return content, failed
	})
	switch {
	case replayed:
		trailer(ctx, "idempotent-replayed", "true")
		content = kept.GetBinary()
	case err == nil:
	case failed != nil && kindOf(err).isFailure():
		return nil, failed
	case kindOf(err) == Unrecorded:
		trailer(ctx, "idempotent-unrecorded", "true")
	default:
		return nil, i.Client.refusal(err).send(ctx)
	}
	return response, proto.Unmarshal(content, response)
}

func marshal(message any) ([]byte, error) {
	typed, isTyped := message.(proto.Message)
	if !isTyped {
		return nil, fmt.Errorf("%T is no message of google.golang.org/protobuf; generate it anew", message)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(typed)
}

// responseOf returns an empty response of a method, which generated code has registered.
func responseOf(method string) (proto.Message, error) {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(strings.ReplaceAll(method, "/", ".")))
	if err != nil {
		return nil, err
	}
	response, err := protoregistry.GlobalTypes.FindMessageByName(found.(protoreflect.MethodDescriptor).Output().FullName())
	if err != nil {
		return nil, err
	}
	return response.New().Interface(), nil
}

func invalidKey(reason, text string) refusal {
	return refusal{code: codes.InvalidArgument, reason: reason, text: text}
}

// send returns the status of a call, and sets its trailers.
func (r refusal) send(ctx context.Context) error {
	trailer(ctx, "hapax-reason", r.reason)
	s, err := status.New(r.code, r.text).WithDetails(&errdetails.ErrorInfo{Reason: r.reason, Domain: "hapax.dev"})
	if err == nil && r.retryAfter > 0 {
		trailer(ctx, "grpc-retry-pushback-ms", fmt.Sprint(r.retryAfter.Milliseconds()))
		s, err = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(r.retryAfter)})
	}
	if err != nil {
		return err
	}
	return s.Err()
}

func trailer(ctx context.Context, name, value string) {
	_ = grpc.SetTrailer(ctx, metadata.Pairs(name, value)) // fails only outside of a call
}
