package dev.hapax.bootstrap.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * The declaration of a setting, from which its flag, variable, file key and help are derived.
 *
 * @param label placeholder of the value in the help
 * @param fallback text of the default value; may be empty
 * @param parser throws IllegalArgumentException for an invalid value
 */
public record Setting<T>(
    String name, String label, String fallback, String doc, Kind kind, Function<String, T> parser) {

  /** The kind of a setting, for help and logs. */
  public enum Kind {
    PLAIN,
    /** A boolean; a flag without a value means true. */
    SWITCH,
    /** A list with spaces between its elements; a flag may be repeated. */
    LIST,
    /** A secret, which is masked in logs. */
    SECRET
  }

  public String flag() {
    return "--" + name;
  }

  public String variable() {
    return Settings.VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
