package dev.hapax.client;

import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.MonitoringRpcs;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.ServerInfo;

/** Reads what the server is and offers. Thread-safe; see {@link HapaxClient#monitoring}. */
public final class Monitoring {

  private final UnaryCalls calls;

  Monitoring(ClientConnection connection) {
    this.calls = connection.unaryCalls();
  }

  /**
   * Returns the versions of the server and its schema, the time of its database, features and
   * limits.
   */
  public ServerInfo serverInfo() {
    return UnaryCalls.await(
            calls.send(MonitoringRpcs.GET_SERVER_INFO, GetServerInfoRequest.getDefaultInstance()))
        .getServer();
  }
}
