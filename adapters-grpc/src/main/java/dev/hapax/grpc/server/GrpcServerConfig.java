package dev.hapax.grpc.server;

import dev.hapax.grpc.limit.CallRates;
import dev.hapax.grpc.limit.ConnectionCaps;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The configuration of the gRPC server.
 *
 * @param address port 0 = any free port
 * @param reflection whether the server offers gRPC reflection
 * @param drain how long active calls may take when the server stops
 */
public record GrpcServerConfig(
    InetSocketAddress address,
    boolean reflection,
    Duration drain,
    ConnectionCaps connections,
    CallRates rates) {

  /** A configuration with the default limits. */
  public GrpcServerConfig(InetSocketAddress address, boolean reflection, Duration drain) {
    this(address, reflection, drain, ConnectionCaps.DEFAULT, CallRates.DEFAULT);
  }
}
