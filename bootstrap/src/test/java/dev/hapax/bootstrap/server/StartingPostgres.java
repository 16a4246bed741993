package dev.hapax.bootstrap.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
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

/** A PostgreSQL that drops its first connection, and says of the next ones that it is starting. */
final class StartingPostgres implements AutoCloseable {
  private static final int STARTING = 3;
  private final URI server;
  private final ServerSocket listener;
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  StartingPostgres(String url) throws IOException {
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

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        sockets.add(client);
        var number = connections.getAndIncrement();
        if (number == 0) {
          client.close();
        } else if (number < STARTING) {
          refuse(client);
        } else {
          forward(client);
        }
      } catch (IOException _) {
        // closed, or a connection less
      }
    }
  }

  private static void refuse(Socket client) throws IOException {
    try (client) {
      var in = new DataInputStream(client.getInputStream());
      in.readNBytes(in.readInt() - Integer.BYTES);
      var body = new ByteArrayOutputStream();
      for (var field : new String[] {"SFATAL", "VFATAL", "C57P03", "Mthe database is starting"}) {
        body.writeBytes(field.getBytes(StandardCharsets.UTF_8));
        body.write(0);
      }
      body.write(0);
      var out = new DataOutputStream(client.getOutputStream());
      out.writeByte('E');
      out.writeInt(body.size() + Integer.BYTES);
      out.write(body.toByteArray());
      out.flush();
    }
  }

  private void forward(Socket client) throws IOException {
    var toServer = new Socket(server.getHost(), server.getPort());
    sockets.add(toServer);
    Thread.ofVirtual().start(() -> copy(client, toServer));
    Thread.ofVirtual().start(() -> copy(toServer, client));
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
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
