package dev.hapax.grpc.server;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * How the server is reached.
 *
 * @param address port 0 = any that is free
 * @param reflection whether clients may ask for the API's description
 * @param drain how long calls under way may take when the server stops
 */
public record GrpcServerConfig(InetSocketAddress address, boolean reflection, Duration drain) {}
