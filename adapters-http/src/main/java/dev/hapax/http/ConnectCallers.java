package dev.hapax.http;

import io.grpc.Channel;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What the server knows of its callers.
 *
 * @param channels the channel for calls from an address, perhaps with a verified certificate
 * @param networks the name of the network of an address, whose callers share the limits of one
 */
public record ConnectCallers(
    BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels,
    Function<InetSocketAddress, String> networks) {}
