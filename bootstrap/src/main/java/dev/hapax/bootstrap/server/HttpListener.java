package dev.hapax.bootstrap.server;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.hapax.bootstrap.config.HostPort;
import dev.hapax.grpc.tls.ServerTls;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server on virtual threads. With TLS it has the certificates of gRPC. */
final class HttpListener implements AutoCloseable {
  /** For the answers of calls that have ended. */
  private static final int STOP_SECONDS = 2;

  /** The connections that the system accepts before the server does. */
  private static final int BACKLOG = 1_024;

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());

  private HttpListener(HttpServer server, HttpHandler handler) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/", handler);
  }

  /**
   * Starts to listen.
   *
   * @param tls empty = plaintext
   */
  static HttpListener start(HostPort address, Optional<ServerTls> tls, HttpHandler handler)
      throws IOException {
    var listener = new HttpListener(bind(address, tls), handler);
    listener.server.start();
    return listener;
  }

  private static HttpServer bind(HostPort address, Optional<ServerTls> tls) throws IOException {
    if (tls.isEmpty()) {
      return HttpServer.create(address.socketAddress(), BACKLOG);
    }
    var https = HttpsServer.create(address.socketAddress(), BACKLOG);
    https.setHttpsConfigurator(new CurrentCertificates(tls.get()));
    return https;
  }

  /** The port that it listens on. */
  int getPort() {
    return server.getAddress().getPort();
  }

  /** Stops after the calls have ended, which the gRPC server sees to. */
  @Override
  public void close() {
    server.stop(STOP_SECONDS);
    threads.shutdownNow();
  }

  /** Configures each connection with the certificates that were loaded last. */
  private static final class CurrentCertificates extends HttpsConfigurator {
    private final ServerTls tls;

    CurrentCertificates(ServerTls tls) {
      super(tls.jdkContext());
      this.tls = tls;
    }

    @Override
    public void configure(HttpsParameters connection) {
      connection.setSSLParameters(tls.jdkParameters());
    }
  }
}
