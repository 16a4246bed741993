package dev.hapax.grpc.monitoring;

import dev.hapax.domain.monitoring.DatabaseReads.DatabaseInfo;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;

/** The part of MonitoringService that a server without a database has: what it is. */
public final class ServerInfoGrpc implements MonitoringServiceGrpc.AsyncService, BindableService {
  private final ServerFacts facts;
  private final InstantSource clock;

  public ServerInfoGrpc(ServerFacts facts, InstantSource clock) {
    this.facts = facts;
    this.clock = clock;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return MonitoringServiceGrpc.bindService(this);
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> caller) {
    caller.onNext(
        GetServerInfoResponse.newBuilder()
            .setServer(
                MonitoringEncoding.server(
                    facts, new DatabaseInfo(0, clock.instant(), DatabaseInfo.TURNS)))
            .build());
    caller.onCompleted();
  }
}
