package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that start later. They are below those that the system gives to connections and
 * to listeners without a port, and below those of built-in PostgreSQLs, so that no other test takes
 * one meanwhile.
 */
public final class FreePort {
  private static final int FIRST = 10_000;
  private static final int COUNT = 10_000;

  /** Another test run on this machine begins elsewhere. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

  private FreePort() {}

  /** A port that no process listens on, another one each time. */
  public static int next() throws IOException {
    while (true) {
      var port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // it is taken
      }
    }
  }
}
