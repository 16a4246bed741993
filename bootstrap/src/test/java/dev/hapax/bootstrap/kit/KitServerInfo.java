package dev.hapax.bootstrap.kit;

import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerFeature;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** What a stand-in for a server says of itself to the workers that ask before they poll. */
final class KitServerInfo extends MonitoringServiceGrpc.MonitoringServiceImplBase {
  static final String VERSION = "0.0.7";

  private final List<ServerFeature> features;

  private KitServerInfo(List<ServerFeature> features) {
    this.features = features;
  }

  static KitServerInfo withParts() {
    return new KitServerInfo(List.of(ServerFeature.SERVER_FEATURE_PARTS));
  }

  static KitServerInfo withoutParts() {
    return new KitServerInfo(List.of());
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> to) {
    var answer = GetServerInfoResponse.newBuilder();
    answer.getServerBuilder().setVersion(VERSION).addAllFeatures(features);
    to.onNext(answer.build());
    to.onCompleted();
  }
}
