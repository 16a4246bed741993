package dev.hapax.console;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on loopback whose requests one handler answers. */
final class HandlerServer implements AutoCloseable {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer http =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

  HandlerServer(HttpHandler handler) throws IOException {
    http.setExecutor(threads);
    http.createContext("/", handler);
    http.start();
  }

  int port() {
    return http.getAddress().getPort();
  }

  String origin() {
    return "http://127.0.0.1:" + port();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
