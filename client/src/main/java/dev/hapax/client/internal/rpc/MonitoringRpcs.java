package dev.hapax.client.internal.rpc;

import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code MonitoringService} that this client calls. */
public final class MonitoringRpcs {

  public static final MethodDescriptor<GetServerInfoRequest, GetServerInfoResponse>
      GET_SERVER_INFO =
          Rpc.of(
              GetServerInfoRequest.getDefaultInstance(),
              GetServerInfoResponse.getDefaultInstance());

  private MonitoringRpcs() {}
}
