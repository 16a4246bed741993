package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Picks a port nobody listens on. */
final class FreePort {
  // below the range outgoing connections draw from: while PostgreSQL restarts, a client that keeps
  // dialling could otherwise be handed the very port it dials, and hold it
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
