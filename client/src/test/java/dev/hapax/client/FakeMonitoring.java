package dev.hapax.client;

import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerFeature;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The features of a server. */
public final class FakeMonitoring extends MonitoringServiceGrpc.MonitoringServiceImplBase {

  public volatile List<ServerFeature> features = List.of(ServerFeature.SERVER_FEATURE_PARTS);
  private final Faults faults;

  FakeMonitoring(Faults faults) {
    this.faults = faults;
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> answer) {
    faults.serve(
        "serverInfo",
        answer,
        reply -> {
          var info = GetServerInfoResponse.newBuilder();
          info.getServerBuilder().setVersion("0.0.7").addAllFeatures(features);
          reply.accept(info.build());
        });
  }
}
