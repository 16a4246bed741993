package dev.hapax.domain.limit;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.stream.Stream;

/**
 * A limit of steps or definitions, and a value of its key. Its record is what an operator set for
 * it.
 *
 * @param ofDefinitions a limit of definitions is another one than that of the same name of steps
 * @param value empty = that of runs without a value; of a setting: all values that have no setting
 */
public record LimitKey(Workspace workspace, boolean ofDefinitions, String name, String value)
    implements RecordKey<LimitSetting> {
  public LimitKey {
    Text.requiredName(name);
    Text.name(value);
  }

  /** A limit of steps. */
  public LimitKey(Workspace workspace, String name, String value) {
    this(workspace, false, name, value);
  }

  public LimitId id() {
    return LimitId.of(this);
  }

  /** The keys of the settings for it, the closest first. */
  Stream<LimitKey> settings() {
    return value.isEmpty()
        ? Stream.of(this)
        : Stream.of(this, new LimitKey(workspace, ofDefinitions, name, ""));
  }
}
