package dev.hapax.domain;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * A failure as the caller reported it.
 *
 * @param code empty = none
 */
public record Failure(String code, String message, Optional<Payload> details) {
  /** The longest message, in UTF-8 bytes. */
  public static final int MAX_MESSAGE_BYTES = 4 * 1024;

  public Failure {
    Text.name(code);
    requireMessage(message);
  }

  /** Returns the message, or throws if it breaks a limit. */
  public static String requireMessage(String message) {
    Text.multiline(message);
    var bytes = message.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_MESSAGE_BYTES) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d bytes; at most %d are allowed", bytes, MAX_MESSAGE_BYTES));
    }
    return message;
  }
}
