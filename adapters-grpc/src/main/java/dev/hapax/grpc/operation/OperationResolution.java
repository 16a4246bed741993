package dev.hapax.grpc.operation;

import com.google.rpc.Code;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.domain.operation.ResolveOperation.Verdict;
import dev.hapax.domain.operation.ResolveOutcome;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResolveOperationResponse;
import java.util.Map;

/** Decodes and encodes ResolveOperation. */
final class OperationResolution {
  private OperationResolution() {}

  static ResolveOperation command(
      ResolveOperationRequest request, KeyedIds keyedIds, RandomValues random) {
    var sent = request.getKey();
    var key =
        new OperationKey(
            FieldReader.workspace(request.getWorkspace()),
            sent.getAccount(),
            sent.getOperation(),
            sent.getRequestId(),
            sent.getAccountChanging());
    var resolution =
        new ResolveOperation.Request(
            request.getRequestId(),
            CallerReader.attribution(request.getActor(), request.getReason()));
    return new ResolveOperation(keyedIds.of(key), random.nonce(), resolution, verdict(request));
  }

  private static Verdict verdict(ResolveOperationRequest request) {
    return switch (request.getResolutionCase()) {
      case COMPLETE ->
          new Verdict.Complete(
              Payloads.decode(
                  request.getComplete().hasResult(), request.getComplete().getResult()));
      case REJECT -> new Verdict.Reject(Payloads.decode(true, request.getReject()).orElseThrow());
      case RELEASE -> new Verdict.Release();
      case RESOLUTION_NOT_SET ->
          throw new InvalidFieldException("resolution", "must be complete, reject or release");
    };
  }

  static ResolveOperationResponse resolved(ResolveOutcome outcome) {
    return switch (outcome) {
      case ResolveOutcome.Resolved o ->
          ResolveOperationResponse.newBuilder()
              .setOperation(OperationEncoding.operation(o.operation()))
              .setAlready(o.already())
              .build();
      case ResolveOutcome.NotFound _ -> throw OperationGrpc.notFound();
      case ResolveOutcome.NotAllowed o ->
          throw GrpcErrors.error(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RESOLUTION_NOT_ALLOWED,
              "the operation is %s; an operation that has ended can only be released"
                  .formatted(o.standing().state()),
              Map.of("state", o.standing().state().name()));
    };
  }
}
