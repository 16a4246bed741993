package dev.hapax.domain.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.PendingIntentException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Intents that are pending on the record they complete. */
class TakeCompletionTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final IntentId INTENT = new IntentId(Workspace.DEFAULT, new UUID(7, 1));
  private static final RunId RUN = new RunId(Workspace.DEFAULT, new UUID(7, 2));
  private static final long NONCE = 7;
  private static final Optional<Payload> OUTPUT = Optional.of(new Payload.Json("42"));

  private final Map<RecordKey<?>, Object> records = new HashMap<>();

  /** Decides it on the records, which stay as they were. */
  private Batch decided(Command<?> command) {
    var batch = new Batch(records, NOW);
    var _ = batch.decide(command);
    return batch;
  }

  private <O> O does(Command<O> command) {
    var batch = new Batch(Map.copyOf(records), NOW);
    var outcome = batch.decide(command);
    batch.changes().forEach((key, change) -> records.put(key, change.after()));
    return outcome;
  }

  /** A batch with the intent, pending on the record. */
  private Batch pending(RecordKey<?> record, IntentVerb verb) {
    var loaded = new HashMap<>(records);
    var origin = new IntentOrigin(verb, "shop", NOW);
    loaded.put(INTENT, new Intent.Posted(origin, 0, Optional.empty()));
    return new Batch(loaded, Map.of(record, INTENT), NOW);
  }

  private static void assertTaken(Batch batch, IntentCommand command, IntentOutcome outcome) {
    var take = new TakeIntent(INTENT, command);
    assertThat(take.urgency()).isEqualTo(Command.Urgency.FINISH);
    assertThat(batch.decide(take))
        .isInstanceOfSatisfying(
            TakeOutcome.Taken.class, taken -> assertThat(taken.outcome()).isEqualTo(outcome));
  }

  private TaskClaim heldTask() {
    var _ =
        does(
            new StartRun(
                RUN,
                Steps.definition(Steps.task("charge")),
                new Payload.Json("{}"),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Actor.caller("ann")));
    var _ = does(new ClaimTask(RUN, Steps.QUEUE, "w", Optional.empty(), NONCE, PrincipalName.NONE));
    var run = (Run) records.getOrDefault(RUN, "absent");
    return new TaskClaim(RUN, 0, NONCE, run.position().fence());
  }

  private static CompleteTask complete(TaskClaim claim) {
    return new CompleteTask(
        claim,
        OUTPUT,
        Optional.empty(),
        List.of(),
        false,
        OptionalLong.empty(),
        new PrincipalName("sql:shop"));
  }

  @Test
  @Tag("D20")
  @DisplayName("given a pending completion of a task, then a cancellation waits, and finds the end")
  void task() {
    var command = complete(heldTask());
    var cancel =
        new ControlRun(
            RUN, ControlRun.Verb.CANCEL, "enough", OptionalLong.empty(), Actor.caller("ann"));
    var batch = pending(RUN, IntentVerb.COMPLETE_TASK);
    assertThatThrownBy(() -> batch.decide(cancel))
        .isInstanceOfSatisfying(
            PendingIntentException.class, e -> assertThat(e.intent()).isEqualTo(INTENT));
    assertTaken(
        batch,
        new IntentCommand.TaskCompletion(command),
        new IntentOutcome.Completed(Optional.of(RUN)));
    assertThat(batch.changes().get(RUN)).isEqualTo(decided(command).changes().get(RUN));
    // it has ended: nothing is left to cancel
    var before = batch.changes();
    var _ = batch.decide(cancel);
    assertThat(batch.changes()).isEqualTo(before);
  }

  @Test
  @Tag("D19")
  @DisplayName("given a pending completion of an operation, then a call gets its result")
  void operation() {
    var id = new OperationId(Workspace.DEFAULT, new UUID(1, 2));
    var begin =
        new BeginOperation(
            id,
            new OperationKey(Workspace.DEFAULT, "ann", "orders/Place", "r", false),
            Fingerprint.of(new byte[] {1}),
            AttemptId.of("mine"),
            NONCE,
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            OnStale.TAKE_OVER,
            OnReleasedMismatch.KEY_REUSED);
    var claim = ((BeginOutcome.Acquired) does(begin)).claim();
    var command = new CompleteOperation(claim, OUTPUT, Optional.empty());
    var batch = pending(id, IntentVerb.COMPLETE_OPERATION);
    assertThatThrownBy(() -> batch.decide(begin)).isInstanceOf(PendingIntentException.class);
    assertTaken(
        batch,
        new IntentCommand.OperationCompletion(command),
        new IntentOutcome.Completed(Optional.empty()));
    assertThat(batch.changes().get(id)).isEqualTo(decided(command).changes().get(id));
    assertThat(batch.decide(begin)).isInstanceOf(BeginOutcome.Replayed.class);
  }

  @Test
  @DisplayName(
      "given a claim that was lost all the same, then the intent fails and its record is free")
  void lost() {
    var claim = heldTask();
    var other = new TaskClaim(RUN, 0, claim.nonce() + 1, claim.fence());
    var batch = pending(RUN, IntentVerb.COMPLETE_TASK);
    assertTaken(
        batch,
        new IntentCommand.TaskCompletion(complete(other)),
        new IntentOutcome.Failed(
            IntentError.INTERNAL, Optional.empty(), "the claim was lost unexpectedly"));
    var run = records.get(RUN);
    assertThat(batch.changes().get(RUN)).isEqualTo(new Batch.Change(run, run));
    var _ = batch.decide(complete(claim));
  }

  @Test
  @DisplayName("given an intent that another server has taken, then nothing changes")
  void gone() {
    var batch = new Batch(records, NOW);
    var absent = new OperationId(Workspace.DEFAULT, new UUID(1, 2));
    var command =
        new CompleteOperation(
            new OperationClaim(absent, NONCE, new Fence(1)), OUTPUT, Optional.empty());
    var take = new TakeIntent(INTENT, new IntentCommand.OperationCompletion(command));
    assertThat(batch.decide(take)).isInstanceOf(TakeOutcome.Gone.class);
    assertThat(batch.changes()).isEmpty();
  }
}
