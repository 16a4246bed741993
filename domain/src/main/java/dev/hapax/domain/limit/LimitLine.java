package dev.hapax.domain.limit;

import java.util.OptionalLong;

/**
 * A limit for one value of its key.
 *
 * @param maxRunning the largest that steps have declared: with fewer runs in it, the first that
 *     waits may have room
 * @param last the last turn that was drawn; empty = no run has reached it
 */
public record LimitLine(LimitKey key, int maxRunning, OptionalLong last) {
  LimitLine drawn(long turn, int declared) {
    return new LimitLine(key, Math.max(maxRunning, declared), OptionalLong.of(turn));
  }
}
