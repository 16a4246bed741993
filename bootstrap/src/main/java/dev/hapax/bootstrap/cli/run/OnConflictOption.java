package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.v1.OnConflict;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;

/** The policies for a token with an owner. */
enum OnConflictOption {
  REJECT,
  USE_EXISTING,
  SIGNAL_EXISTING,
  SUPERSEDE;

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
      return EnumOption.parse(OnConflictOption.class, PREFIX, text);
    }
  }
}
