package hapax

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"hapax.dev/kits/go/hapaxv1"
)

// trailers are those of a call to a server without a connection.
type trailers struct{ metadata.MD }

func (t *trailers) Method() string               { return "" }
func (t *trailers) SetHeader(metadata.MD) error  { return nil }
func (t *trailers) SendHeader(metadata.MD) error { return nil }
func (t *trailers) SetTrailer(md metadata.MD) error {
	t.MD = metadata.Join(t.MD, md)
	return nil
}

// intercepted calls a method through an interceptor; returns its response, its error and its trailers.
func intercepted(client *Client, do grpc.UnaryHandler) (*hapaxv1.CreateEntityResponse, error, *trailers) {
	sent := &trailers{}
	ctx := grpc.NewContextWithServerTransportStream(context.Background(), sent)
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("idempotency-key", "k"))
	info := &grpc.UnaryServerInfo{FullMethod: "/hapax.v1.EntityService/CreateEntity"}
	answer, err := (&Interceptor{Client: client}).Unary(ctx, &hapaxv1.CreateEntityRequest{}, info, do)
	response, _ := answer.(*hapaxv1.CreateEntityResponse)
	return response, err, sent
}

func entity(id string) *hapaxv1.CreateEntityResponse {
	return &hapaxv1.CreateEntityResponse{Entity: &hapaxv1.Entity{Id: id}}
}

func TestOvertakenMethod(t *testing.T) {
	content, _ := proto.Marshal(entity("theirs"))
	theirs, _ := Payload(content)
	for _, ours := range []error{nil, status.Error(codes.DataLoss, "ours"), Fail(RetryableFailure, "OURS", ""), failed(ClaimLost, nil, "of ours")} {
		do := func(context.Context, any) (any, error) { return entity("ours"), ours }
		client, _ := overtakenBy(replayOf(theirs)).client(t)
		response, err, sent := intercepted(client, do)
		if err != nil || response.GetEntity().GetId() != "theirs" || len(sent.Get("idempotent-replayed")) != 1 {
			t.Errorf("with %v: the recorded response must be replayed (was %v, %v, %v)", ours, response, err, sent)
		}
		for _, expected := range []struct {
			replay *hapaxv1.Replay
			code   codes.Code
			reason string
			again  int
		}{
			{&hapaxv1.Replay{Failure: &hapaxv1.Failure{Code: "DECLINED"}}, codes.FailedPrecondition, "OPERATION_REJECTED", 0},
			{nil, codes.Aborted, "CLAIM_LOST", 1},
		} {
			client, _ := overtakenBy(expected.replay).client(t)
			_, err, sent := intercepted(client, do)
			if status.Code(err) != expected.code || len(sent.Get("hapax-reason")) != 1 || sent.Get("hapax-reason")[0] != expected.reason ||
				len(sent.Get("grpc-retry-pushback-ms")) != expected.again {
				t.Errorf("with %v: the status must be %+v (was %v, %v)", ours, expected, err, sent)
			}
		}
	}
}

func TestFailingMethod(t *testing.T) {
	for _, ours := range []error{status.Error(codes.DataLoss, "ours"), Fail(FinalFailure, "OURS", ""), failed(InProgress, nil, "inside")} {
		client, _ := recording().client(t)
		_, err, sent := intercepted(client, func(context.Context, any) (any, error) { return nil, ours })
		if !errors.Is(err, ours) || len(sent.MD) != 0 {
			t.Errorf("the error must be that of the handler, %v (was %v, %v)", ours, err, sent)
		}
	}
}

func TestUnrecordedMethod(t *testing.T) {
	server := recording()
	delete(server, "OperationService/CompleteOperation")
	client, _ := server.client(t)
	response, err, sent := intercepted(client, func(context.Context, any) (any, error) { return entity("ours"), nil })
	if err != nil || response.GetEntity().GetId() != "ours" || len(sent.Get("idempotent-unrecorded")) != 1 {
		t.Errorf("the response must be that of the handler (was %v, %v, %v)", response, err, sent)
	}
}
