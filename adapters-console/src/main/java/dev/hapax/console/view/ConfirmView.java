package dev.hapax.console.view;

import java.util.ArrayList;
import java.util.List;

/**
 * A page that asks before something is done. Its form is sent to its own address.
 *
 * @param heading a question, such as {@code Cancel this run?}
 * @param sentences what will happen
 * @param danger whether it cannot be undone
 * @param back the page that the visitor comes from
 */
public record ConfirmView(
    String heading,
    List<String> sentences,
    List<Input> inputs,
    String button,
    boolean danger,
    String back) {
  public ConfirmView {
    sentences = List.copyOf(sentences);
    inputs = List.copyOf(inputs);
  }

  /** A field of the form. */
  public record Input(
      Kind kind, String name, String label, String value, String hint, boolean required) {}

  /** The presentation of a field. */
  public enum Kind {
    LINE,
    LINES,
    HIDDEN
  }

  /** A form without fields. */
  public static ConfirmView of(String heading, String button, String back, String... sentences) {
    return new ConfirmView(heading, List.of(sentences), List.of(), button, false, back);
  }

  /** The same for what cannot be undone. */
  public ConfirmView dangerous() {
    return new ConfirmView(heading, sentences, inputs, button, true, back);
  }

  /** Asks for a line of text. */
  public ConfirmView line(String name, String label, String hint) {
    return with(new Input(Kind.LINE, name, label, "", hint, false));
  }

  /** Asks for a line of text that the API requires. */
  public ConfirmView requiredLine(String name, String label, String hint) {
    return with(new Input(Kind.LINE, name, label, "", hint, true));
  }

  /** Asks for several lines of text. */
  public ConfirmView lines(String name, String label, String hint) {
    return with(new Input(Kind.LINES, name, label, "", hint, false));
  }

  /** Sends a value that the visitor does not see, such as an id that makes the call idempotent. */
  public ConfirmView hidden(String name, String value) {
    return with(new Input(Kind.HIDDEN, name, "", value, "", true));
  }

  private ConfirmView with(Input input) {
    var more = new ArrayList<>(inputs);
    more.add(input);
    return new ConfirmView(heading, sentences, more, button, danger, back);
  }
}
