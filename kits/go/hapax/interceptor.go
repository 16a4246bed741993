package hapax

import (
	"context"
	"errors"
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
	if !i.applies(operation.Name) || operation.RequestID == "" && !i.Required {
		return next(ctx, request)
	}
	if operation.RequestID == "" {
		return nil, invalidKey("IDEMPOTENCY_KEY_REQUIRED", "the method requires the header idempotency-key").status(ctx, 0)
	}
	if err := CheckName("idempotency-key", operation.RequestID); err != nil {
		return nil, invalidKey("IDEMPOTENCY_KEY_INVALID", err.Error()).status(ctx, 0)
	}
	if len(keys) > 1 {
		return nil, invalidKey("IDEMPOTENCY_KEY_INVALID", "the header idempotency-key must occur once").status(ctx, 0)
	}
	response, err := responseOf(operation.Name)
	if err == nil {
		operation.Input, err = marshal(request)
	}
	if err != nil {
		return nil, i.refuse(ctx, err)
	}
	if i.Account != nil {
		operation.Account = i.Account(ctx)
	}
	var hasRun bool
	var failed error
	kept, err := Once(ctx, i.Client, operation, func(ctx context.Context, _ *Claim) (content []byte, err error) {
		hasRun = true
		answer, err := next(ctx, request)
		if err == nil {
			content, err = marshal(answer)
		}
		failed = err
		return content, err
	})
	switch {
	case failed != nil && kindOf(failed) == kindOf(err):
		return nil, failed
	case kindOf(err) == Unrecorded:
		trailer(ctx, "idempotent-unrecorded", "true")
	case err != nil:
		return nil, i.refuse(ctx, err)
	case !hasRun:
		trailer(ctx, "idempotent-replayed", "true")
	}
	return response, proto.Unmarshal(kept, response)
}

func marshal(message any) ([]byte, error) {
	typed, isTyped := message.(proto.Message)
	if !isTyped {
		return nil, fmt.Errorf("%T is no message of google.golang.org/protobuf; generate it anew", message)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(typed)
}

func (i *Interceptor) applies(method string) bool {
	for _, each := range i.Methods {
		if each == method {
			return true
		}
	}
	return i.Methods == nil
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

// refusals are the statuses of the outcomes without a response.
var refusals = map[Kind]refusal{
	InProgress:      {codes.Aborted, "DUPLICATE_REQUEST", "another call with this idempotency key is in progress"},
	KeyReused:       {codes.FailedPrecondition, "IDEMPOTENCY_KEY_REUSED", "the idempotency key was used with another request; use a new one"},
	Indeterminate:   {codes.FailedPrecondition, "PREVIOUS_ATTEMPT_INDETERMINATE", "an earlier attempt may have taken effect; it must be resolved"},
	NotRetained:     {codes.FailedPrecondition, "RESPONSE_NOT_RETAINED", "the call was executed, but its response was not kept"},
	Rejected:        {codes.FailedPrecondition, "OPERATION_REJECTED", ""},
	ClaimLost:       {codes.Aborted, "CLAIM_LOST", "another attempt took over; send the call again to get its response"},
	Unavailable:     {codes.Unavailable, "IDEMPOTENCY_UNAVAILABLE", "the call was not begun; send it again with the same idempotency key"},
	Unauthenticated: {codes.Unavailable, "IDEMPOTENCY_UNAVAILABLE", "the call was not begun; send it again with the same idempotency key"},
}

type refusal struct {
	code         codes.Code
	reason, text string
}

func (i *Interceptor) refuse(ctx context.Context, err error) error {
	refused, isKnown := refusals[kindOf(err)]
	if !isKnown || kindOf(err) == Unauthenticated {
		i.Client.logf("hapax: a call was not begun: %v", err)
	}
	if !isKnown {
		refused = refusal{codes.Internal, "IDEMPOTENCY_MISCONFIGURED", "the idempotency key cannot be checked"}
	}
	var known *Error
	if errors.As(err, &known) && known.Kind == InProgress {
		return refused.status(ctx, known.RetryAfter+time.Millisecond)
	}
	if kindOf(err) == Rejected {
		refused.text = err.Error()
	}
	return refused.status(ctx, 0)
}

func (r refusal) status(ctx context.Context, retryAfter time.Duration) error {
	trailer(ctx, "hapax-reason", r.reason)
	s, err := status.New(r.code, r.text).WithDetails(&errdetails.ErrorInfo{Reason: r.reason, Domain: "hapax.dev"})
	if err == nil && retryAfter > 0 {
		trailer(ctx, "grpc-retry-pushback-ms", fmt.Sprint(retryAfter.Milliseconds()))
		s, err = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryAfter)})
	}
	if err != nil {
		return err
	}
	return s.Err()
}

func invalidKey(reason, text string) refusal { return refusal{codes.InvalidArgument, reason, text} }

func trailer(ctx context.Context, name, value string) {
	_ = grpc.SetTrailer(ctx, metadata.Pairs(name, value)) // fails only outside of a call
}
