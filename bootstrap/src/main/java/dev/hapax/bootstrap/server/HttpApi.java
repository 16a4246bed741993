package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.HttpSettings;
import dev.hapax.grpc.limit.ClientNetwork;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.http.ConnectCallers;
import dev.hapax.http.ConnectServer;
import io.grpc.Channel;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of the gRPC server over HTTP. */
final class HttpApi {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private HttpApi() {}

  static ConnectServer start(
      HostPort address,
      Set<String> origins,
      Optional<ServerTls> tls,
      Collection<ServiceDescriptor> services,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels)
      throws IOException {
    try {
      var http =
          ConnectServer.start(
              address.socketAddress(),
              tls.map(each -> () -> engine(each)),
              origins,
              services,
              new ConnectCallers(channels, caller -> ClientNetwork.of(caller).name()));
      LOG.info("HTTP/JSON on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, HttpSettings.HTTP_LISTEN, e);
    }
  }

  /** An engine with the certificates that were loaded last. */
  private static SSLEngine engine(ServerTls tls) {
    var engine = tls.jdkContext().createSSLEngine();
    engine.setUseClientMode(false);
    engine.setSSLParameters(tls.jdkParameters());
    return engine;
  }
}
