package dev.hapax.bootstrap.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port that takes connections in place of PostgreSQL, and can open connections to it. */
final class DatabasePort implements AutoCloseable {
  private final URI server;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** Handles a new connection; an exception ends nothing else. */
  interface Handler {
    void accept(Socket client) throws IOException;
  }

  /**
   * Opens a port.
   *
   * @param url of the database, for JDBC
   */
  DatabasePort(String url) throws IOException {
    server = URI.create(url.substring("jdbc:".length()));
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** The URL of the same database at this port. */
  String url() {
    return String.format(
        Locale.ROOT,
        "jdbc:postgresql://127.0.0.1:%d%s?%s&sslmode=disable&gssEncMode=disable",
        listener.getLocalPort(),
        server.getPath(),
        server.getQuery());
  }

  /** Passes all connections to the handler, one after the other, until this port is closed. */
  void accept(Handler handler) {
    Thread.ofVirtual().start(() -> loop(handler));
  }

  private void loop(Handler handler) {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        sockets.add(client);
        handler.accept(client);
      } catch (IOException _) {
        // closed, or a connection less
      }
    }
  }

  /** Connects to the database. */
  Socket connect() throws IOException {
    var socket = new Socket(server.getHost(), server.getPort());
    sockets.add(socket);
    return socket;
  }

  /** Copies all bytes, then closes both sockets. */
  static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // one of them is closed, and so is the other now
    }
  }

  /** Closes the port and all its connections. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : sockets) {
      socket.close();
    }
  }
}
