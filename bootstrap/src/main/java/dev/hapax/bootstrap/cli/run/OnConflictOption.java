package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.OnConflict;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The policies for a token with an owner. */
enum OnConflictOption {
  REJECT,
  USE_EXISTING,
  SIGNAL_EXISTING,
  SUPERSEDE,
  QUEUE;

  private static final String PREFIX = "ON_CONFLICT_";

  OnConflict wire() {
    return OnConflict.valueOf(PREFIX + name());
  }

  /** Returns the name as typed in options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Parses the name as typed or as printed by {@code --json}. */
  static final class Converter implements ITypeConverter<OnConflictOption> {
    @Override
    public OnConflictOption convert(String text) {
      var name = text.toUpperCase(Locale.ROOT).replace('-', '_');
      return Arrays.stream(values())
          .filter(policy -> name.equals(policy.name()) || name.equals(PREFIX + policy.name()))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is not one of %s".formatted(text, Arrays.toString(values()))));
    }
  }
}
