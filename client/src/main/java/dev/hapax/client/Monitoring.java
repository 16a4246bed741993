package dev.hapax.client;

import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.ServerInfo;
import io.grpc.Channel;

/**
 * Describes the server. Thread-safe. Its methods throw as those of {@link Runs} do. Other settings:
 * {@link RunsBuilder#monitoring}.
 */
public final class Monitoring {

  private final UnaryCalls calls;

  Monitoring(UnaryCalls calls) {
    this.calls = calls;
  }

  /** With every default. */
  public static Monitoring on(Channel channel) {
    return Runs.newBuilder(channel).monitoring();
  }

  /** The version of the server and its schema, the time of its database, features and limits. */
  public ServerInfo serverInfo() {
    return UnaryCalls.await(
            calls.send(
                MonitoringServiceGrpc.getGetServerInfoMethod(),
                GetServerInfoRequest.getDefaultInstance()))
        .getServer();
  }
}
