package dev.hapax.console.web;

/** A request that no page answers, with a sentence for its sender. */
final class RefusedVisitException extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String sentence;

  RefusedVisitException(int status, String sentence) {
    // a visitor's mistake has no stack trace
    super(sentence, null, false, false);
    this.status = status;
    this.sentence = sentence;
  }

  int status() {
    return status;
  }

  String sentence() {
    return sentence;
  }
}
