package dev.hapax.console.server;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.v1.CertificateState;
import java.time.Duration;
import java.time.Instant;

/**
 * Certificates of one use, of one server.
 *
 * @param isEnding whether they have to be renewed now
 */
public record CertificateLine(
    String server, String use, DisplayTime expires, String left, boolean isEnding) {
  private static final Duration SOON = Duration.ofDays(7);

  static CertificateLine of(String server, CertificateState state, Instant now) {
    var expires = DisplayTime.of(state.getExpiresAt(), now);
    return new CertificateLine(
        server,
        state.getUse(),
        expires,
        expires.at().isAfter(now)
            ? Duration.between(now, expires.at()).toDays() + " days"
            : "expired",
        isEnding(state, now));
  }

  /** Whether less than seven days are left. */
  public static boolean isEnding(CertificateState state, Instant now) {
    return DisplayTime.of(state.getExpiresAt(), now).at().isBefore(now.plus(SOON));
  }

  /** When it expires, as the end of a sentence. */
  public static String end(CertificateState state, Instant now) {
    var expires = DisplayTime.of(state.getExpiresAt(), now);
    return "%s %s (%s)"
        .formatted(
            expires.at().isAfter(now) ? "expires" : "expired", expires.distance(), expires.utc());
  }
}
