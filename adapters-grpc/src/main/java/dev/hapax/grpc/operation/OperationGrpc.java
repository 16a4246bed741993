package dev.hapax.grpc.operation;

import com.google.rpc.Code;
import dev.hapax.application.operation.Operations;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.Unary;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResolveOperationResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;

/** OperationService: decodes, calls, encodes. */
public final class OperationGrpc implements OperationServiceGrpc.AsyncService, BindableService {
  private final Operations operations;
  private final KeyedIds keyedIds;
  private final RandomValues random;
  private final OperationCalls calls;
  private final CellRoute cells;

  /**
   * Serves the workspaces of one cell.
   *
   * @param cells finds the cell of each call of a stream
   */
  public OperationGrpc(
      Operations operations, KeyedIds keyedIds, RandomValues random, CellRoute cells) {
    this.operations = operations;
    this.keyedIds = keyedIds;
    this.random = random;
    this.calls = new OperationCalls(operations, keyedIds, random);
    this.cells = cells;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return OperationServiceGrpc.bindService(this);
  }

  @Override
  public void beginOperation(
      BeginOperationRequest request, StreamObserver<BeginOperationResponse> caller) {
    Unary.respond(caller, () -> calls.begin(request), OperationEncoding::begun);
  }

  @Override
  public void completeOperation(
      CompleteOperationRequest request, StreamObserver<CompleteOperationResponse> caller) {
    Unary.respond(caller, () -> calls.complete(request), OperationEncoding::completed);
  }

  @Override
  public void failOperation(
      FailOperationRequest request, StreamObserver<FailOperationResponse> caller) {
    Unary.respond(caller, () -> calls.fail(request), OperationEncoding::failed);
  }

  @Override
  public void renewOperation(
      RenewOperationRequest request, StreamObserver<RenewOperationResponse> caller) {
    Unary.respond(caller, () -> calls.renew(request), OperationEncoding::renewed);
  }

  @Override
  public StreamObserver<OperationStreamRequest> operationStream(
      StreamObserver<OperationStreamResponse> client) {
    return OperationStream.start(
        request -> cells.of(request, this).calls,
        (ServerCallStreamObserver<OperationStreamResponse>) client);
  }

  @Override
  public void getOperation(
      GetOperationRequest request, StreamObserver<GetOperationResponse> caller) {
    Unary.respond(
        caller,
        () ->
            operations.find(
                keyedIds.of(
                    OperationCalls.key(
                        FieldReader.workspace(request.getWorkspace()),
                        request.getAccount(),
                        request.getOperation(),
                        request.getRequestId(),
                        request.getAccountChanging()))),
        found ->
            GetOperationResponse.newBuilder()
                .setOperation(
                    OperationEncoding.operation(found.orElseThrow(OperationGrpc::notFound)))
                .build());
  }

  static RuntimeException notFound() {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_OPERATION_NOT_FOUND,
        "no such operation in this workspace, or it has expired",
        Map.of());
  }

  @Override
  public void listOperations(
      ListOperationsRequest request, StreamObserver<ListOperationsResponse> caller) {
    Unary.respond(
        caller, () -> OperationPages.query(request), operations::list, OperationPages::page);
  }

  @Override
  public void resolveOperation(
      ResolveOperationRequest request, StreamObserver<ResolveOperationResponse> caller) {
    Unary.respond(
        caller,
        () -> operations.submit(OperationResolution.command(request, keyedIds, random)),
        OperationResolution::resolved);
  }
}
