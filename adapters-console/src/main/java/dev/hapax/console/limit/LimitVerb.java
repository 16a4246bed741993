package dev.hapax.console.limit;

import java.util.Locale;

/** The verbs of an operator on a limit. */
public enum LimitVerb {
  SET(
      "Set",
      "The number holds at once, before those of all definitions. Runs that were admitted stay so; others wait until fewer run."),
  REMOVE(
      "Remove", "The number that is set for all values holds again, or else those of definitions.");

  private final String title;
  private final String effect;

  LimitVerb(String title, String effect) {
    this.title = title;
    this.effect = effect;
  }

  public String title() {
    return title;
  }

  String effect() {
    return effect;
  }

  /** The segment of its address. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
