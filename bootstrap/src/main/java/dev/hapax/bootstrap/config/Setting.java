package dev.hapax.bootstrap.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * One thing that can be set: flag, variable, line of a file and help all come from this
 * declaration.
 *
 * @param label what stands for the value in the help
 * @param fallback the text of the default; empty where there is none
 * @param parser throws IllegalArgumentException with what is wrong
 */
public record Setting<T>(
    String name, String label, String fallback, String doc, Kind kind, Function<String, T> parser) {

  /** What sets a setting apart in help and logs. */
  public enum Kind {
    PLAIN,
    /** May be given without a value, which means true. */
    SWITCH,
    /** Never shown. */
    SECRET
  }

  public String flag() {
    return "--" + name;
  }

  public String variable() {
    return Settings.VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
