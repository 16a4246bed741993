package dev.hapax.bootstrap.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on to PostgreSQL; can drop what reads Flyway's table, without a word. */
final class FlywayRelay implements AutoCloseable {
  private static final String TABLE = "flyway_schema_history";
  private static final int BUFFER = 65_536;
  private final URI server;
  private final ServerSocket listener;
  private final AtomicInteger queries = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean silent;

  FlywayRelay(String url) throws IOException {
    server = URI.create(url.substring("jdbc:".length()));
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return String.format(
        Locale.ROOT,
        "jdbc:postgresql://127.0.0.1:%d%s?%s&sslmode=disable&gssEncMode=disable",
        listener.getLocalPort(),
        server.getPath(),
        server.getQuery());
  }

  /** How many requests have named the table. */
  int queries() {
    return queries.get();
  }

  /** Whether requests that name the table are dropped from now on, and all after them. */
  void silence(boolean isSilent) {
    silent = isSilent;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        var toServer = new Socket(server.getHost(), server.getPort());
        sockets.add(client);
        sockets.add(toServer);
        Thread.ofVirtual().start(() -> forward(client, toServer));
        Thread.ofVirtual().start(() -> back(toServer, client));
      } catch (IOException _) {
        // closed, or a connection less
      }
    }
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

  private static void back(Socket toServer, Socket client) {
    try (client;
        toServer) {
      toServer.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException _) {
      // one of them is closed, and so is the other now
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : sockets) {
      socket.close();
    }
  }
}
