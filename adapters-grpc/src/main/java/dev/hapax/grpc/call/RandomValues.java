package dev.hapax.grpc.call;

import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Draws the random values that commands need: decisions draw none, because they may run twice.
 *
 * @param source any long, each as likely as the others; called from several threads
 */
public record RandomValues(LongSupplier source) {
  private static final int UNUSED_BITS = 11;
  private static final double UNIT = 0x1.0p-53;

  public long nonce() {
    return source.getAsLong();
  }

  /** A number from 0 to 1, without 1. */
  public double jitter() {
    return (source.getAsLong() >>> UNUSED_BITS) * UNIT;
  }

  public UUID uuid() {
    return new UUID(nonce(), nonce());
  }

  /** The name that the caller sent, or a unique one. */
  public String nameOr(String sent) {
    return sent.isEmpty() ? uuid().toString() : sent;
  }
}
