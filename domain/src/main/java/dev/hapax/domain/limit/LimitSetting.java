package dev.hapax.domain.limit;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an operator set for a limit: it comes before the numbers of all steps and definitions.
 * Without both, the setting was removed.
 *
 * @param maxRunning empty = that of the step or definition
 * @param rate the same
 */
public record LimitSetting(
    OptionalInt maxRunning, Optional<Rate> rate, Instant setAt, Attribution by) {
  public LimitSetting {
    maxRunning.ifPresent(Limit::requireMaxRunning);
  }

  public boolean isRemoved() {
    return maxRunning.isEmpty() && rate.isEmpty();
  }
}
