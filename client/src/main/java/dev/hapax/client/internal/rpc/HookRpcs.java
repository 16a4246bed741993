package dev.hapax.client.internal.rpc;

import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code HookService} that this client calls. */
public final class HookRpcs {

  public static final MethodDescriptor<CreateHookRequest, CreateHookResponse> CREATE_HOOK =
      Rpc.of(CreateHookRequest.getDefaultInstance(), CreateHookResponse.getDefaultInstance());

  public static final MethodDescriptor<DisposeHookRequest, DisposeHookResponse> DISPOSE_HOOK =
      Rpc.of(DisposeHookRequest.getDefaultInstance(), DisposeHookResponse.getDefaultInstance());

  public static final MethodDescriptor<GetHookRequest, GetHookResponse> GET_HOOK =
      Rpc.of(GetHookRequest.getDefaultInstance(), GetHookResponse.getDefaultInstance());

  public static final MethodDescriptor<SignalHookRequest, SignalHookResponse> SIGNAL_HOOK =
      Rpc.of(SignalHookRequest.getDefaultInstance(), SignalHookResponse.getDefaultInstance());

  private HookRpcs() {}
}
