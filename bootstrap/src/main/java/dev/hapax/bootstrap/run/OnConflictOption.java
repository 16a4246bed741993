package dev.hapax.bootstrap.run;

import dev.hapax.v1.OnConflict;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What to do when a token has an owner, as it is typed. */
enum OnConflictOption {
  REJECT,
  USE_EXISTING,
  SIGNAL_EXISTING,
  SUPERSEDE;

  private static final String PREFIX = "ON_CONFLICT_";

  OnConflict wire() {
    return OnConflict.valueOf(PREFIX + name());
  }

  /** As options are written. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Knows only how they are written, so that what is wrong is told without the names in Java. */
  static final class Converter implements ITypeConverter<OnConflictOption> {
    @Override
    public OnConflictOption convert(String text) {
      return Arrays.stream(values())
          .filter(policy -> policy.toString().equalsIgnoreCase(text))
          .findFirst()
          .orElseThrow(
              () -> new TypeConversionException("'" + text + "' is none of " + List.of(values())));
    }
  }
}
