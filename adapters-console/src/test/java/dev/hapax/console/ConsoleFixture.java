package dev.hapax.console;

import dev.hapax.console.web.ConsoleConfig;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** A console on an API that a test controls, and its browser. */
final class ConsoleFixture implements AutoCloseable {
  final FakeApi api = new FakeApi();
  final AtomicLong changes = new AtomicLong();

  /** Whether the console knows that the API authenticates each caller. */
  volatile boolean needsLogin;

  final String origin;
  final Browser browser;
  private final HandlerServer server;

  ConsoleFixture() throws IOException {
    var config = new ConsoleConfig(Set.of("127.0.0.1"), false, Optional.empty());
    server =
        new HandlerServer(Console.handler(config, changes::get), api.channel(), () -> needsLogin);
    origin = server.origin();
    browser = new Browser(origin);
  }

  int port() {
    return server.port();
  }

  @Override
  public void close() {
    browser.close();
    server.close();
    api.close();
  }
}
