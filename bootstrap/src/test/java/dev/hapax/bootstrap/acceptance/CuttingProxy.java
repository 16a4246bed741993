package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import io.grpc.Status.Code;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Stands between a client and a server and loses answers: the connection is cut when the server
 * begins to answer, before the client sees a byte of it.
 */
public final class CuttingProxy implements AutoCloseable {
  /**
   * HTTP/2: 3 bytes of length, 1 of type, 1 of flags, 4 of stream; the answer begins with HEADERS,
   * or with DATA on a stream that has answered before.
   */
  private static final int FRAME_HEAD = 9;

  private static final int MOST_CALLS = 5;

  private static final byte DATA = 0;
  private static final byte HEADERS = 1;

  private final ServerSocket listener;
  private volatile int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean cutNext = new AtomicBoolean();
  private final AtomicInteger cuts = new AtomicInteger();

  public CuttingProxy(String target) {
    this.port = portOf(target);
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    TestAccess.addProxy(target());
    Thread.ofVirtual().start(this::accept);
  }

  private static int portOf(String target) {
    return Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
  }

  public String target() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** The next answer is lost. */
  public void cutNextAnswer() {
    cutNext.set(true);
  }

  public int cuts() {
    return cuts.get();
  }

  /** New connections lead to this server. */
  public void forwardTo(String target) {
    port = portOf(target);
  }

  /** Cuts every connection, whatever is on its way. */
  public void cutConnections() {
    for (var socket : open) {
      closeQuietly(socket);
    }
    open.clear();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // it was cut already
    }
  }

  /** Sends a request until its answer is lost. */
  void loseAnswer(Supplier<?> call) {
    var before = cuts();
    // a call on a connection that was just cut may fail without an answer to lose
    for (var calls = 0; cuts() == before; calls++) {
      if (calls == MOST_CALLS) {
        throw new AssertionError(
            String.format(Locale.ROOT, "no answer was lost in %d calls", calls));
      }
      cutNextAnswer();
      var refusal = Refusal.of(call::get);
      if (refusal.code() != Code.UNAVAILABLE) {
        throw new AssertionError("the answer was not lost: " + refusal);
      }
    }
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

  private void connect(Socket client) {
    try {
      var server = TestAccess.connect(port);
      // small frames would wait 40 ms for an acknowledgement
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      open.add(client);
      open.add(server);
      var _ = Thread.ofVirtual().start(() -> forward(client, server));
      var _ = Thread.ofVirtual().start(() -> answer(server, client));
    } catch (IOException _) {
      // the server is away
      closeQuietly(client);
    }
  }

  private void forward(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // cut
    }
  }

  private void answer(Socket from, Socket to) {
    try (from;
        to;
        var frames = new DataInputStream(from.getInputStream())) {
      var out = to.getOutputStream();
      while (forwardFrame(frames, out)) {
        out.flush();
      }
    } catch (IOException _) {
      // cut
    }
  }

  private boolean forwardFrame(InputStream in, OutputStream out) throws IOException {
    var head = in.readNBytes(FRAME_HEAD);
    if (head.length < FRAME_HEAD) {
      return false;
    }
    if ((head[3] == HEADERS || head[3] == DATA) && cutNext.compareAndSet(true, false)) {
      cuts.incrementAndGet();
      return false;
    }
    var length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
    out.write(head);
    out.write(in.readNBytes(length));
    return true;
  }

  @Override
  public void close() {
    TestAccess.removeProxy(target());
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
