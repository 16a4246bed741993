package dev.hapax.http;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.grpc.Channel;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/**
 * The HTTP server of the API. Each request has a virtual thread, which waits for its call. A client
 * that goes away is noticed when it is answered, since nothing is read from it meanwhile.
 */
public final class ConnectServer implements AutoCloseable {
  /** For the answers of calls that have ended. */
  private static final int STOP_SECONDS = 2;

  /** The connections that the system accepts before the server does. */
  private static final int BACKLOG = 1_024;

  /** The share of the heap that bodies of requests may take. */
  private static final int MAX_OPEN_BYTES =
      (int) Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final HttpServer http;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());

  private ConnectServer(HttpServer http, ConnectHandler handler) {
    this.http = http;
    http.setExecutor(threads);
    http.createContext("/", handler);
  }

  /**
   * Starts to listen.
   *
   * @param tls empty = plaintext
   * @param services what can be called, with one channel for all of them
   * @param channels the channel for calls from an address, perhaps with a verified certificate
   */
  public static ConnectServer start(
      InetSocketAddress address,
      Optional<HttpsConfigurator> tls,
      Collection<ServiceDescriptor> services,
      BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> channels)
      throws IOException {
    var handler = new ConnectHandler(services, channels, new RequestBodies(MAX_OPEN_BYTES));
    var server = new ConnectServer(listen(address, tls), handler);
    server.http.start();
    return server;
  }

  private static HttpServer listen(InetSocketAddress address, Optional<HttpsConfigurator> tls)
      throws IOException {
    if (tls.isEmpty()) {
      return HttpServer.create(address, BACKLOG);
    }
    var https = HttpsServer.create(address, BACKLOG);
    https.setHttpsConfigurator(tls.get());
    return https;
  }

  /** The port that it listens on. */
  public int getPort() {
    return http.getAddress().getPort();
  }

  /** Stops after the calls have ended, which the gRPC server sees to. */
  @Override
  public void close() {
    http.stop(STOP_SECONDS);
    threads.shutdownNow();
  }
}
