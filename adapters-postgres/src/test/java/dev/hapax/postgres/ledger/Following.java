package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.CounterTable.TallyKey;
import dev.hapax.testkit.ledger.Counter;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Adds one to a counter, and reads another that many read at the same time. */
record Following(RecordKey<Counter> rule, Counter.Key own) implements Command<Long> {

  /** Of the other table, which is locked as a whole by who changes any of it. */
  static Following tally(String name, String own) {
    return new Following(new TallyKey(TestLedgers.WORKSPACE, name), TestLedgers.key(own));
  }

  @Override
  public Workspace workspace() {
    return own.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(own, rule);
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return List.of(rule);
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
  public Long decide(BatchRecords records, Instant now) {
    var sum = records.get(own).map(Counter::value).orElse(0L) + 1;
    records.put(own, new Counter(sum));
    return sum + records.get(rule).map(Counter::value).orElse(0L);
  }
}
