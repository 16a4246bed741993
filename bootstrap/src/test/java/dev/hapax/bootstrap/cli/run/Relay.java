package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on to a server, and counts them. */
final class Relay implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final HostPort target;

  Relay(String target) throws IOException {
    this.target = HostPort.parse(target);
    Thread.ofVirtual().start(this::accept);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  int connections() {
    return connections.get();
  }

  private void accept() {
    try {
      while (true) {
        var client = listener.accept();
        connections.incrementAndGet();
        var server = new Socket(target.host(), target.port());
        open.add(client);
        open.add(server);
        Thread.ofVirtual().start(() -> copy(client, server));
        Thread.ofVirtual().start(() -> copy(server, client));
      }
    } catch (IOException _) {
      // it is closed
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // one of them has gone
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (var socket : open) {
      socket.close();
    }
  }
}
