package dev.hapax.domain.limit;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.definition.Limit;
import java.time.Instant;
import java.util.OptionalInt;

/**
 * What an operator set for a limit: it comes before the numbers of all steps.
 *
 * @param maxRunning empty = the setting was removed
 */
public record LimitSetting(OptionalInt maxRunning, Instant setAt, Attribution by) {
  public LimitSetting {
    maxRunning.ifPresent(Limit::requireMaxRunning);
  }
}
