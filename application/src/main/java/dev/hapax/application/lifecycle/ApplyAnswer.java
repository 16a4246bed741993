package dev.hapax.application.lifecycle;

import java.util.List;

/** The answer of a server to a lifecycle or contract. */
public sealed interface ApplyAnswer {
  /**
   * It is applied.
   *
   * @param already whether it was applied before
   */
  record Done(boolean already) implements ApplyAnswer {}

  /**
   * It is rejected.
   *
   * @param blockers objects that prevent the change
   */
  record Refused(String why, List<String> blockers) implements ApplyAnswer {
    public Refused {
      blockers = List.copyOf(blockers);
    }

    /** Returns the reason, then a line for each blocker. */
    String text() {
      return String.join("\n    ", why, String.join("\n    ", blockers)).stripTrailing();
    }
  }

  /** Another client is changing it; this takes seconds. */
  record Changing() implements ApplyAnswer {}
}
