package dev.hapax.grpc.server;

import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.tls.ServerTls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The configuration of the gRPC server.
 *
 * @param address port 0 = any free port
 * @param reflection whether the server offers gRPC reflection
 * @param drain how long active calls may take when the server stops
 * @param tls empty = plaintext
 */
public record GrpcServerConfig(
    InetSocketAddress address,
    boolean reflection,
    Duration drain,
    Optional<ServerTls> tls,
    ConnectionLimits connections,
    CallerLimits callers) {

  /** Configures a server with the default limits. */
  public GrpcServerConfig(
      InetSocketAddress address, boolean reflection, Duration drain, Optional<ServerTls> tls) {
    this(address, reflection, drain, tls, ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
  }

  /** Configures a server without encryption, with the default limits. */
  public GrpcServerConfig(InetSocketAddress address, boolean reflection, Duration drain) {
    this(address, reflection, drain, Optional.empty());
  }
}
