package dev.hapax.bootstrap.server;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.http.ConnectServer;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of the gRPC server over HTTP. */
final class HttpApi {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private HttpApi() {}

  static ConnectServer start(HostPort address, Optional<ServerTls> tls, HapaxServer server)
      throws IOException {
    var channels = server.startInProcess();
    try {
      var http =
          ConnectServer.start(
              address.socketAddress(), tls.map(Secured::new), server.services(), channels);
      LOG.info("HTTP/JSON on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.HTTP_LISTEN, e);
    }
  }

  /** Configures each connection with the certificates that were loaded last. */
  private static final class Secured extends HttpsConfigurator {
    private final ServerTls tls;

    Secured(ServerTls tls) {
      super(tls.jdkContext());
      this.tls = tls;
    }

    @Override
    public void configure(HttpsParameters connection) {
      connection.setSSLParameters(tls.jdkParameters());
    }
  }
}
