package dev.hapax.domain;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * A failure as the caller reported it.
 *
 * @param code empty = none
 * @param part the part of a step that failed; empty = none
 * @param stack the stack trace; empty = none
 */
public record Failure(
    String code, String message, Optional<Payload> details, String part, String stack) {
  /** The longest message, in UTF-8 bytes. */
  public static final int MAX_MESSAGE_BYTES = 4 * 1024;

  /** The longest stack trace, in UTF-8 bytes. */
  public static final int MAX_STACK_BYTES = 16 * 1024;

  public Failure {
    Text.name(code);
    requireMessage(message);
    Text.name(part);
    requireStack(stack);
  }

  /** A failure that names no part and has no stack trace. */
  public Failure(String code, String message, Optional<Payload> details) {
    this(code, message, details, "", "");
  }

  /** The same failure with another code. */
  public Failure withCode(String other) {
    return new Failure(other, message, details, part, stack);
  }

  /** The same failure of another part. */
  public Failure withPart(String other) {
    return new Failure(code, message, details, other, stack);
  }

  /** The approximate memory in bytes. */
  public int size() {
    return message.length() + stack.length() + details.map(Payload::size).orElse(0);
  }

  /** Returns the message, or throws if it breaks a limit. */
  public static String requireMessage(String message) {
    return requireText(message, MAX_MESSAGE_BYTES);
  }

  /** Returns the stack trace, or throws if it breaks a limit. */
  public static String requireStack(String stack) {
    return requireText(stack, MAX_STACK_BYTES);
  }

  private static String requireText(String text, int most) {
    Text.multiline(text);
    var bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > most) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "has %d bytes; at most %d are allowed", bytes, most));
    }
    return text;
  }
}
