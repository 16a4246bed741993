package dev.hapax.client;

import java.util.Optional;

/**
 * How work failed.
 *
 * @param message as Hapax sent it
 */
public record Failure(dev.hapax.v1.Failure message) {

  /** For programs, such as {@code CARD_DECLINED}. */
  public String code() {
    return message.getCode();
  }

  /** For people. */
  public String text() {
    return message.getMessage();
  }

  /** The part of the code step that failed. */
  public Optional<String> part() {
    return Optional.of(message.getPart()).filter(part -> !part.isEmpty());
  }

  /** The stack trace; empty if the failure has none. */
  public String stack() {
    return message.getStack();
  }
}
