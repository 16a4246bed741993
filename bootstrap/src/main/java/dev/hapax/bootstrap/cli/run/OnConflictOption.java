package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.v1.OnConflict;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;

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

  /** As it is typed, or printed by {@code --json}. */
  static final class Converter implements ITypeConverter<OnConflictOption> {
    @Override
    public OnConflictOption convert(String text) {
      return EnumOption.parse(OnConflictOption.class, PREFIX, text);
    }
  }
}
