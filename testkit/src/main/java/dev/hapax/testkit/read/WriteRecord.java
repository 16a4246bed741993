package dev.hapax.testkit.read;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Writes a record as it is, without deciding anything. */
public record WriteRecord<R>(RecordKey<R> key, R record) implements Command<Boolean> {
  @Override
  public Workspace workspace() {
    return key.workspace();
  }

  @Override
  public Collection<RecordKey<R>> keys() {
    return List.of(key);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return 64;
  }

  @Override
  public Boolean decide(BatchRecords records, Instant now) {
    records.put(key, record);
    return true;
  }
}
