package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.bootstrap.config.HttpSettings;
import dev.hapax.grpc.quota.ClientNetwork;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.http.ConnectCallers;
import dev.hapax.http.ConnectServer;
import dev.hapax.http.HostNames;
import dev.hapax.http.HttpServer;
import io.grpc.Channel;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of the gRPC server over HTTP. */
final class HttpApi {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private HttpApi() {}

  static HttpServer start(
      HostPort address,
      HostNames hosts,
      Set<String> origins,
      Optional<ServerTls> tls,
      Collection<ServiceDescriptor> services,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels)
      throws IOException {
    try {
      var http =
          ConnectServer.start(
              address.socketAddress(),
              tls.map(each -> each::engine),
              hosts,
              origins,
              services,
              new ConnectCallers(channels, HttpApi::network));
      LOG.info("HTTP/JSON on {}", address.withPort(http.getPort()));
      return http;
    } catch (IOException e) {
      throw ListenPort.taken(address, HttpSettings.HTTP_LISTEN, e);
    }
  }

  /** The name of the network of an address, whose clients share the limits of one. */
  static String network(InetSocketAddress client) {
    return ClientNetwork.of(client).name();
  }
}
