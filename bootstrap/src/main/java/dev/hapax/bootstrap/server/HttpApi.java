package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.http.ConnectServer;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of the gRPC server over HTTP. */
final class HttpApi {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private HttpApi() {}

  static ConnectServer start(HostPort address, HapaxServer server) throws IOException {
    var channels = server.startInProcess();
    try {
      var http = ConnectServer.start(address.socketAddress(), server.services(), channels);
      LOG.info("HTTP/JSON on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, Settings.HTTP_LISTEN, e);
    }
  }
}
