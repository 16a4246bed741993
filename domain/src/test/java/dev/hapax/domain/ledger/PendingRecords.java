package dev.hapax.domain.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.TakeIntent;
import dev.hapax.domain.intent.TakeOutcome;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Checks that a record with a pending intent is decided on by no command but its own, and by others
 * afterwards.
 */
public final class PendingRecords {
  private static final RecordKey<String> INTENT = new Ticket();
  private static final IntentId POSTED = new IntentId(Workspace.DEFAULT, new UUID(7, 7));
  private static final IntentOrigin ORIGIN =
      new IntentOrigin(IntentVerb.COMPLETE_TASK, "shop", Instant.EPOCH);

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

  /**
   * Checks that a command is decided after the intent of this completion as it is after the
   * completion itself.
   */
  public static void checkAfterTake(
      Map<RecordKey<?>, Object> records,
      RecordKey<?> record,
      IntentCommand.Completion completion,
      Command<?> command,
      Instant now) {
    var direct = new Batch(records, now);
    decide(direct, completion.command().orElseThrow());
    var outcome = decide(direct, command);

    var posted = new HashMap<>(records);
    posted.put(POSTED, new Intent.Posted(ORIGIN, 0, Optional.empty()));
    var batch = new Batch(posted, Map.of(record, POSTED), now);
    assertThat(decide(batch, new TakeIntent(POSTED, completion)))
        .isInstanceOf(TakeOutcome.Taken.class);
    assertThat(decide(batch, command)).isEqualTo(outcome);
    var changes = batch.changes();
    assertThat(changes.remove(POSTED)).isNotNull();
    assertThat(changes).containsAllEntriesOf(direct.changes());
    // a record whose intent was taken counts as changed
    changes.keySet().removeAll(direct.changes().keySet());
    assertThat(changes.keySet()).isSubsetOf(record);
    changes.values().forEach(change -> assertThat(change.after()).isEqualTo(change.before()));
  }

  /** Checks that two commands have the same outcome and the same changes. */
  public static void checkSame(
      Map<RecordKey<?>, Object> records, Command<?> one, Command<?> other, Instant now) {
    var first = new Batch(records, now);
    var second = new Batch(records, now);
    assertThat((Object) decide(first, one)).isEqualTo(decide(second, other));
    assertThat(first.changes()).isEqualTo(second.changes());
  }

  private static <O> O decide(Batch batch, Command<O> command) {
    try {
      return batch.decide(command);
    } catch (UnlockedRecordsException e) {
      return decide(batch, e.widened(command));
    }
  }
}
