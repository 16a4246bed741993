package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.http.ConnectHandler;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of the gRPC server over HTTP. */
final class HttpApi {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private HttpApi() {}

  static HttpListener start(
      HostPort address,
      Optional<ServerTls> tls,
      Collection<ServiceDescriptor> services,
      HttpCallers callers)
      throws IOException {
    try {
      var http = HttpListener.start(address, tls, new ConnectHandler(services, callers));
      LOG.info("HTTP/JSON on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.HTTP_LISTEN, e);
    }
  }
}
