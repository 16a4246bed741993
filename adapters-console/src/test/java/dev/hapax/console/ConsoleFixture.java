package dev.hapax.console;

import com.sun.net.httpserver.HttpServer;
import dev.hapax.console.web.ConsoleConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** A console on an API that a test controls, and its browser. */
final class ConsoleFixture implements AutoCloseable {
  final FakeApi api = new FakeApi();
  final AtomicLong changes = new AtomicLong();
  final String origin;
  final Browser browser;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer http =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

  ConsoleFixture() throws IOException {
    var config = new ConsoleConfig(Set.of("127.0.0.1"), false);
    http.setExecutor(threads);
    http.createContext("/", Console.handler(config, _ -> api.channel(), changes::get));
    http.start();
    origin = "http://127.0.0.1:" + http.getAddress().getPort();
    browser = new Browser(origin);
  }

  int port() {
    return http.getAddress().getPort();
  }

  @Override
  public void close() {
    browser.close();
    http.stop(0);
    threads.shutdownNow();
    api.close();
  }
}
