package dev.hapax.application.run;

import java.time.Instant;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Generates UUIDs of version 7, which sort by the time of their generation (<a
 * href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7">RFC 9562</a>).
 */
final class UuidVersion7 {
  private static final int TIME_SHIFT = 16;
  private static final long VERSION = 0x7000L;
  private static final long RANDOM_A = 0xFFFL;
  private static final long VARIANT = 1L << 63;
  private static final long RANDOM_B = 0x3FFF_FFFF_FFFF_FFFFL;

  private UuidVersion7() {}

  static UUID draw(Instant now, LongSupplier random) {
    return new UUID(
        (now.toEpochMilli() << TIME_SHIFT) | VERSION | (random.getAsLong() & RANDOM_A),
        VARIANT | (random.getAsLong() & RANDOM_B));
  }
}
