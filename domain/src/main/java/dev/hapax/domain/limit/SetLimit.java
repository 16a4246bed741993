package dev.hapax.domain.limit;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Sets how many runs may be at the steps, or of the definitions, that name a limit, and how many
 * may start. Without both, it removes this setting.
 *
 * @param maxRunning empty = that of the step or definition
 * @param rate the same
 */
public record SetLimit(LimitKey id, OptionalInt maxRunning, Optional<Rate> rate, Attribution by)
    implements Command<SetLimit.Done> {
  private static final int SIZE = 1024;

  /**
   * The outcome.
   *
   * @param setting that applies now; empty = none
   * @param already whether it was so before
   */
  public record Done(Optional<LimitSetting> setting, boolean already) {}

  public SetLimit {
    maxRunning.ifPresent(Limit::requireMaxRunning);
  }

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public List<LimitKey> keys() {
    return List.of(id);
  }

  @Override
  public LimitKey route() {
    return id;
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public Done decide(BatchRecords records, Instant now) {
    var before = records.get(id).filter(setting -> !setting.isRemoved());
    var setting = new LimitSetting(maxRunning, rate, now, by);
    var isSo =
        before
            .map(has -> has.maxRunning().equals(maxRunning) && has.rate().equals(rate))
            .orElse(setting.isRemoved());
    if (isSo) {
      return new Done(before, true);
    }
    records.put(id, setting);
    return new Done(Optional.of(setting).filter(set -> !set.isRemoved()), false);
  }
}
