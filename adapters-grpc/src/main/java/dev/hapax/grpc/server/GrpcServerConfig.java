package dev.hapax.grpc.server;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The configuration of the gRPC server.
 *
 * @param address port 0 = any free port
 * @param reflection whether the server offers gRPC reflection
 * @param drain how long active calls may take when the server stops
 */
public record GrpcServerConfig(InetSocketAddress address, boolean reflection, Duration drain) {}
