package dev.hapax.client.internal.rpc;

import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code DefinitionService} that this client calls. */
public final class DefinitionRpcs {

  public static final MethodDescriptor<GetDefinitionRequest, GetDefinitionResponse> GET_DEFINITION =
      Rpc.of(GetDefinitionRequest.getDefaultInstance(), GetDefinitionResponse.getDefaultInstance());

  public static final MethodDescriptor<RegisterDefinitionRequest, RegisterDefinitionResponse>
      REGISTER_DEFINITION =
          Rpc.of(
              RegisterDefinitionRequest.getDefaultInstance(),
              RegisterDefinitionResponse.getDefaultInstance());

  private DefinitionRpcs() {}
}
