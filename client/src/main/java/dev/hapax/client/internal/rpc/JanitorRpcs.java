package dev.hapax.client.internal.rpc;

import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code JanitorService} that this client calls. */
public final class JanitorRpcs {

  public static final MethodDescriptor<CompleteRecoveryRequest, CompleteRecoveryResponse>
      COMPLETE_RECOVERY =
          Rpc.of(
              CompleteRecoveryRequest.getDefaultInstance(),
              CompleteRecoveryResponse.getDefaultInstance());

  public static final MethodDescriptor<DeclareJanitorRequest, DeclareJanitorResponse>
      DECLARE_JANITOR =
          Rpc.of(
              DeclareJanitorRequest.getDefaultInstance(),
              DeclareJanitorResponse.getDefaultInstance());

  public static final MethodDescriptor<ListJanitorsRequest, ListJanitorsResponse> LIST_JANITORS =
      Rpc.of(ListJanitorsRequest.getDefaultInstance(), ListJanitorsResponse.getDefaultInstance());

  public static final MethodDescriptor<PollRecoveriesRequest, PollRecoveriesResponse>
      POLL_RECOVERIES =
          Rpc.of(
              PollRecoveriesRequest.getDefaultInstance(),
              PollRecoveriesResponse.getDefaultInstance());

  private JanitorRpcs() {}
}
