package dev.hapax.domain.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Checks that a record with a pending intent is decided on by no command but its own. */
public final class PendingRecords {
  private static final RecordKey<String> INTENT = new Ticket();

  private PendingRecords() {}

  private record Ticket() implements RecordKey<String> {
    @Override
    public Workspace workspace() {
      return Workspace.DEFAULT;
    }
  }

  /**
   * Checks it for a command that can be decided on these records, if the record exists: the command
   * waits for the intent, or has the same outcome whatever the record is.
   */
  public static void check(
      Map<RecordKey<?>, Object> loaded,
      RecordKey<?> record,
      Command<?> command,
      Instant now,
      Object outcome) {
    if (loaded.containsKey(record)) {
      var batch = new Batch(loaded, Map.of(record, INTENT), now);
      try {
        assertThat(batch.decide(command)).isEqualTo(outcome);
        assertThat(batch.changes()).doesNotContainKey(record);
        var without = new HashMap<>(loaded);
        without.remove(record);
        assertThat(new Batch(without, now).decide(command)).isEqualTo(outcome);
      } catch (PendingIntentException e) {
        assertThat(e.intent()).isEqualTo(INTENT);
        assertThat(batch.changes()).isEmpty();
      }
    }
  }
}
