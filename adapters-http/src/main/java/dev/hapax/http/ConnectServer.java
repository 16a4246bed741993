package dev.hapax.http;

import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/** The HTTP server of the API. */
public final class ConnectServer {
  private ConnectServer() {}

  /**
   * Starts to listen.
   *
   * @param tls makes the engine of a connection; empty = plaintext
   * @param hosts the names under which it answers
   * @param origins the web pages that may call, such as {@code https://app.example.com}
   * @param services what can be called, with one channel for all of them
   */
  public static HttpServer start(
      InetSocketAddress address,
      Optional<Supplier<SSLEngine>> tls,
      HostNames hosts,
      Set<String> origins,
      Collection<ServiceDescriptor> services,
      ConnectCallers callers)
      throws IOException {
    return start(address, tls, hosts, origins, services, callers, HttpTimeouts.DEFAULT);
  }

  static HttpServer start(
      InetSocketAddress address,
      Optional<Supplier<SSLEngine>> tls,
      HostNames hosts,
      Set<String> origins,
      Collection<ServiceDescriptor> services,
      ConnectCallers callers,
      HttpTimeouts times)
      throws IOException {
    var handler =
        new ConnectHandler(services, callers, hosts, new Origins(origins), times.maxStreamAge());
    return HttpServer.start(address, tls, callers.networks(), handler, times);
  }
}
