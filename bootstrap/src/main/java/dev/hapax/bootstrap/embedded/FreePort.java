package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds a free port. */
final class FreePort {
  // below the ephemeral ports: while PostgreSQL restarts, a client that reconnects could otherwise
  // get this port as its own local port and block it
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;
  private static final int ATTEMPTS = 100;

  private FreePort() {}

  static int onLoopback() throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException("no free port between " + FIRST + " and " + LAST);
  }

  private static boolean isFree(int port) {
    try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
