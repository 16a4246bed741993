package dev.hapax.domain.limit;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Sets how many runs may be at the steps that name a limit, or removes this setting.
 *
 * @param maxRunning empty = remove the setting
 */
public record SetLimit(LimitKey id, OptionalInt maxRunning, Attribution by)
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
    var before = records.get(id).filter(setting -> setting.maxRunning().isPresent());
    var isSo =
        before.map(LimitSetting::maxRunning).orElse(OptionalInt.empty()).equals(maxRunning);
    if (isSo) {
      return new Done(before, true);
    }
    var setting = new LimitSetting(maxRunning, now, by);
    records.put(id, setting);
    return new Done(
        maxRunning.isPresent() ? Optional.of(setting) : Optional.empty(), false);
  }
}
