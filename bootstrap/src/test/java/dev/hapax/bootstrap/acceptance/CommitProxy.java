package dev.hapax.bootstrap.acceptance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Stands between a client and PostgreSQL, and cuts the client's connection at its COMMIT. */
final class CommitProxy implements AutoCloseable {
  private static final int CHUNK = 8_192;

  private final PGSimpleDataSource server;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Cut> next = new AtomicReference<>(Cut.NONE);
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** What becomes of a COMMIT. */
  enum Cut {
    NONE,
    /** PostgreSQL does not get it, and rolls back. */
    BEFORE,
    /** PostgreSQL commits, and its answer is lost. */
    AFTER,
    /** The client loses its connection, and PostgreSQL gets the COMMIT at {@link #release}. */
    HELD
  }

  CommitProxy(PGSimpleDataSource server) {
    this.server = server;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** The database behind this proxy. */
  DataSource dataSource() {
    var source = new PGSimpleDataSource();
    source.setServerNames(new String[] {listener.getInetAddress().getHostAddress()});
    source.setPortNumbers(new int[] {listener.getLocalPort()});
    source.setDatabaseName(server.getDatabaseName());
    source.setUser(server.getUser());
    source.setPassword(server.getPassword());
    source.setSslMode("disable");
    return source;
  }

  /** The next COMMIT is cut so. */
  void cut(Cut cut) {
    next.set(cut);
  }

  boolean isHeld() {
    return held.getCount() == 0;
  }

  /** Sends the COMMIT that was held. */
  void release() {
    released.countDown();
  }

  private void accept() {
    try {
      while (true) {
        connect(listener.accept());
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void connect(Socket client) throws IOException {
    var postgres = new Socket(server.getServerNames()[0], server.getPortNumbers()[0]);
    sockets.add(client);
    sockets.add(postgres);
    client.setTcpNoDelay(true);
    postgres.setTcpNoDelay(true);
    var _ = Thread.ofVirtual().start(() -> forward(client, postgres));
    var _ = Thread.ofVirtual().start(() -> copy(postgres, client));
  }

  private void forward(Socket client, Socket postgres) {
    try (client;
        postgres) {
      InputStream in = client.getInputStream();
      OutputStream out = postgres.getOutputStream();
      var chunk = new byte[CHUNK];
      for (var size = in.read(chunk); size >= 0; size = in.read(chunk)) {
        var request = Arrays.copyOf(chunk, size);
        var cut = commits(request) ? next.getAndSet(Cut.NONE) : Cut.NONE;
        switch (cut) {
          case NONE -> out.write(request);
          case BEFORE -> {
            return;
          }
          case AFTER -> {
            client.shutdownOutput();
            commit(postgres, request);
            return;
          }
          case HELD -> {
            client.close();
            held.countDown();
            released.await();
            commit(postgres, request);
            return;
          }
        }
      }
    } catch (IOException _) {
      // cut
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean commits(byte[] request) {
    return new String(request, StandardCharsets.ISO_8859_1).contains("COMMIT");
  }

  /** PostgreSQL ends the session when it has executed what was sent. */
  private static void commit(Socket postgres, byte[] request) throws IOException {
    postgres.getOutputStream().write(request);
    postgres.shutdownOutput();
  }

  private static void copy(Socket postgres, Socket client) {
    try (postgres;
        client) {
      postgres.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException _) {
      // cut
    }
  }

  @Override
  public void close() {
    released.countDown();
    try {
      listener.close();
      for (var socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
