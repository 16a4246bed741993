package dev.hapax.bootstrap.acceptance;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a server and its database and counts what is asked. */
final class QueryCounter implements AutoCloseable {
  private static final String PREFIX = "jdbc:";

  /** The high half of what begins a connection, for protocol 3; others ask for encryption first. */
  private static final int PROTOCOL = 3;

  private final URI database;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger queries = new AtomicInteger();
  private final Map<String, AtomicInteger> naming = new ConcurrentHashMap<>();
  private volatile long lastNanos = System.nanoTime();

  QueryCounter(String jdbcUrl) {
    this.database = URI.create(jdbcUrl.substring(PREFIX.length()));
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** The database, by way of this. */
  String url() {
    return PREFIX
        + database
            .toString()
            .replace(database.getAuthority(), "127.0.0.1:" + listener.getLocalPort());
  }

  /** How many so far; each statement of a transaction is one, and one that is empty too. */
  int queries() {
    return queries.get();
  }

  /** Whether nothing has been asked for so long. */
  boolean isQuietFor(Duration time) {
    return System.nanoTime() - lastNanos > time.toNanos();
  }

  /** Counts the messages that have this text in a statement or in a value, from now on. */
  AtomicInteger naming(String text) {
    return naming.computeIfAbsent(text, _ -> new AtomicInteger());
  }

  private void accept() {
    try {
      while (true) {
        var client = listener.accept();
        var server = new Socket(database.getHost(), database.getPort());
        server.setTcpNoDelay(true);
        open.add(client);
        open.add(server);
        var _ = Thread.ofVirtual().start(() -> count(client, server));
        var _ = Thread.ofVirtual().start(() -> answer(server, client));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void count(Socket from, Socket to) {
    try (from;
        to;
        var in = new DataInputStream(from.getInputStream())) {
      var out = to.getOutputStream();
      while (begin(in, out) != PROTOCOL) {
        out.flush();
      }
      while (true) {
        var type = in.readByte();
        if (type == 'Q' || type == 'E') {
          queries.incrementAndGet();
          lastNanos = System.nanoTime();
        }
        out.write(type);
        var content = new String(forward(in, out), StandardCharsets.ISO_8859_1);
        naming.forEach(
            (text, count) -> {
              if (content.contains(text)) {
                count.incrementAndGet();
              }
            });
      }
    } catch (IOException _) {
      // closed
    }
  }

  private static int begin(DataInputStream in, OutputStream out) throws IOException {
    return ByteBuffer.wrap(forward(in, out)).getShort();
  }

  /** A message, but its type: its length, which counts itself, and so many bytes. */
  private static byte[] forward(DataInputStream in, OutputStream out) throws IOException {
    var length = in.readInt();
    var content = in.readNBytes(length - Integer.BYTES);
    out.write(ByteBuffer.allocate(length).putInt(length).put(content).array());
    return content;
  }

  private static void answer(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // closed
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (var socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
