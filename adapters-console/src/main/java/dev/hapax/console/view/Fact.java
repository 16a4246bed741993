package dev.hapax.console.view;

import java.util.List;

/** A named value of a message of the API, such as {@code retry at}. */
public record Fact(String name, Value value) {
  /** The presentation of a value. */
  public sealed interface Value {}

  /** A word or a sentence. */
  public record Plain(String text) implements Value {}

  /** A time. */
  public record At(DisplayTime moment) implements Value {}

  /** A payload or another text of several lines. */
  public record Code(String text) implements Value {}

  /** A link to another page. */
  public record Link(String text, String href) implements Value {}

  /** The facts of a message within the message. */
  public record Group(List<Fact> facts) implements Value {}
}
