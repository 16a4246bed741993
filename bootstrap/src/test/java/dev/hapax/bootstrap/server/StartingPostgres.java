package dev.hapax.bootstrap.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A PostgreSQL that drops its first connection, and says of the next ones that it is starting. */
final class StartingPostgres implements AutoCloseable {
  private static final int STARTING = 3;
  private final DatabasePort port;
  private final AtomicInteger connections = new AtomicInteger();

  StartingPostgres(String url) throws IOException {
    port = new DatabasePort(url);
    port.accept(this::accept);
  }

  String url() {
    return port.url();
  }

  private void accept(Socket client) throws IOException {
    var number = connections.getAndIncrement();
    if (number == 0) {
      client.close();
    } else if (number < STARTING) {
      refuse(client);
    } else {
      forward(client);
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
    var toServer = port.connect();
    Thread.ofVirtual().start(() -> DatabasePort.copy(client, toServer));
    Thread.ofVirtual().start(() -> DatabasePort.copy(toServer, client));
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
