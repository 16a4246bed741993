package dev.hapax.client.internal.rpc;

import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code OperationService} that this client calls. */
public final class OperationRpcs {

  public static final MethodDescriptor<BeginOperationRequest, BeginOperationResponse>
      BEGIN_OPERATION =
          Rpc.of(
              BeginOperationRequest.getDefaultInstance(),
              BeginOperationResponse.getDefaultInstance());

  public static final MethodDescriptor<CompleteOperationRequest, CompleteOperationResponse>
      COMPLETE_OPERATION =
          Rpc.of(
              CompleteOperationRequest.getDefaultInstance(),
              CompleteOperationResponse.getDefaultInstance());

  public static final MethodDescriptor<FailOperationRequest, FailOperationResponse> FAIL_OPERATION =
      Rpc.of(FailOperationRequest.getDefaultInstance(), FailOperationResponse.getDefaultInstance());

  public static final MethodDescriptor<OperationStreamRequest, OperationStreamResponse>
      OPERATION_STREAM =
          Rpc.of(
              OperationStreamRequest.getDefaultInstance(),
              OperationStreamResponse.getDefaultInstance());

  public static final MethodDescriptor<RenewOperationRequest, RenewOperationResponse>
      RENEW_OPERATION =
          Rpc.of(
              RenewOperationRequest.getDefaultInstance(),
              RenewOperationResponse.getDefaultInstance());

  private OperationRpcs() {}
}
