package dev.hapax.client.internal.rpc;

import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code LifecycleService} that this client calls. */
public final class LifecycleRpcs {

  public static final MethodDescriptor<ApplyLifecyclesRequest, ApplyLifecyclesResponse>
      APPLY_LIFECYCLES =
          Rpc.of(
              ApplyLifecyclesRequest.getDefaultInstance(),
              ApplyLifecyclesResponse.getDefaultInstance());

  public static final MethodDescriptor<GetLifecycleRequest, GetLifecycleResponse> GET_LIFECYCLE =
      Rpc.of(GetLifecycleRequest.getDefaultInstance(), GetLifecycleResponse.getDefaultInstance());

  public static final MethodDescriptor<ListLifecyclesRequest, ListLifecyclesResponse>
      LIST_LIFECYCLES =
          Rpc.of(
              ListLifecyclesRequest.getDefaultInstance(),
              ListLifecyclesResponse.getDefaultInstance());

  public static final MethodDescriptor<ValidateLifecycleRequest, ValidateLifecycleResponse>
      VALIDATE_LIFECYCLE =
          Rpc.of(
              ValidateLifecycleRequest.getDefaultInstance(),
              ValidateLifecycleResponse.getDefaultInstance());

  private LifecycleRpcs() {}
}
