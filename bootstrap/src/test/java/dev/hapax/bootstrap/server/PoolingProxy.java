package dev.hapax.bootstrap.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.Semaphore;

/**
 * A pooler in transaction mode: all clients have one session of PostgreSQL, each for a transaction.
 */
final class PoolingProxy implements AutoCloseable {
  private static final int LENGTH_BYTES = 4;
  private final DatabasePort port;
  private final Semaphore session = new Semaphore(1);

  /** What PostgreSQL sent behind its authentication. */
  private byte[] greeting = {};

  private Socket backend = new Socket();

  PoolingProxy(String url) throws IOException {
    port = new DatabasePort(url);
    port.accept(client -> Thread.ofVirtual().start(() -> serve(client)));
  }

  String url() {
    return port.url();
  }

  private void serve(Socket client) {
    try (client) {
      var in = new DataInputStream(client.getInputStream());
      var out = new DataOutputStream(client.getOutputStream());
      var startup = new byte[in.readInt() - LENGTH_BYTES];
      in.readFully(startup);
      greet(startup, in, out);
      var holds = false;
      while (true) {
        var type = in.readByte();
        if (type == 'X') {
          return;
        }
        if (!holds) {
          session.acquireUninterruptibly();
          holds = true;
        }
        forward(type, in, new DataOutputStream(backend.getOutputStream()));
        if (type == 'Q' || type == 'S') {
          holds = answer(out);
        }
      }
    } catch (IOException _) {
      // the client has disconnected
    }
  }

  private void greet(byte[] startup, DataInputStream in, DataOutputStream out) throws IOException {
    session.acquireUninterruptibly();
    try {
      if (greeting.length == 0) {
        backend = port.connect();
        var to = new DataOutputStream(backend.getOutputStream());
        to.writeInt(startup.length + LENGTH_BYTES);
        to.write(startup);
        greeting = authenticate(in, out);
      } else {
        out.write(greeting);
      }
    } finally {
      session.release();
    }
  }

  private byte[] authenticate(DataInputStream in, DataOutputStream out) throws IOException {
    var from = new DataInputStream(backend.getInputStream());
    var seen = new ByteArrayOutputStream();
    var isAuthenticated = false;
    while (true) {
      var type = from.readByte();
      var body = body(from);
      isAuthenticated |= type == 'R' && body.length == LENGTH_BYTES && body[3] == 0;
      write(type, body, out);
      if (isAuthenticated) {
        write(type, body, new DataOutputStream(seen));
      } else {
        var asks = type == 'R' && body[3] != 12;
        if (asks) {
          forward(in.readByte(), in, new DataOutputStream(backend.getOutputStream()));
        }
      }
      if (type == 'Z') {
        return seen.toByteArray();
      }
    }
  }

  /** Returns whether the client is in a transaction; the session is free before it reads that. */
  private boolean answer(DataOutputStream out) throws IOException {
    var from = new DataInputStream(backend.getInputStream());
    while (true) {
      var type = from.readByte();
      var body = body(from);
      var ends = type == 'Z';
      if (ends && body[0] == 'I') {
        session.release();
      }
      write(type, body, out);
      if (ends) {
        return body[0] != 'I';
      }
    }
  }

  private static void forward(byte type, DataInputStream from, DataOutputStream to)
      throws IOException {
    write(type, body(from), to);
  }

  private static byte[] body(DataInputStream from) throws IOException {
    var body = new byte[from.readInt() - LENGTH_BYTES];
    from.readFully(body);
    return body;
  }

  private static void write(byte type, byte[] body, DataOutputStream to) throws IOException {
    to.writeByte(type);
    to.writeInt(body.length + LENGTH_BYTES);
    to.write(body);
    to.flush();
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
