package dev.hapax.grpc.run;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** What commands need drawn before they are made. */
final class RandomValues {
  private RandomValues() {}

  static long nonce() {
    return ThreadLocalRandom.current().nextLong();
  }

  static double jitter() {
    return ThreadLocalRandom.current().nextDouble();
  }

  /** A name that nobody else has; what was sent, if something was. */
  static String unless(String sent) {
    return sent.isEmpty() ? new UUID(nonce(), nonce()).toString() : sent;
  }
}
