package dev.hapax.bootstrap.server;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on to PostgreSQL; can drop what reads Flyway's table, without a word. */
final class FlywayRelay implements AutoCloseable {
  private static final String TABLE = "flyway_schema_history";
  private static final int BUFFER = 65_536;
  private final DatabasePort port;
  private final AtomicInteger queries = new AtomicInteger();
  private volatile boolean silent;

  FlywayRelay(String url) throws IOException {
    port = new DatabasePort(url);
    port.accept(this::accept);
  }

  String url() {
    return port.url();
  }

  /** How many requests have named the table. */
  int queries() {
    return queries.get();
  }

  /** Whether requests that name the table are dropped from now on, and all after them. */
  void silence(boolean isSilent) {
    silent = isSilent;
  }

  private void accept(Socket client) throws IOException {
    var toServer = port.connect();
    Thread.ofVirtual().start(() -> forward(client, toServer));
    Thread.ofVirtual().start(() -> DatabasePort.copy(toServer, client));
  }

  private void forward(Socket client, Socket toServer) {
    try (client;
        toServer) {
      var buffer = new byte[BUFFER];
      var isCut = false;
      for (var length = 0; length >= 0; length = client.getInputStream().read(buffer)) {
        if (new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(TABLE)) {
          queries.incrementAndGet();
          isCut |= silent;
        }
        if (!isCut) {
          toServer.getOutputStream().write(buffer, 0, length);
        }
      }
    } catch (IOException _) {
      // one of them is closed, and so is the other now
    }
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
