package dev.hapax.domain.intent;

import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TraceParent;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The request of an intent, as it was posted. It never changes. */
public sealed interface IntentRequest {
  /** The records that it names: of two intents that name one, the first posted is taken first. */
  Set<RecordKey<?>> names();

  /**
   * Starts a run.
   *
   * @param version of the definition; empty = the version registered last
   * @param hook the token that the run acquires
   */
  record Start(
      RunId run,
      DefinitionName definition,
      Optional<String> version,
      RunParameters parameters,
      Optional<Instant> startAt,
      Optional<Key> key,
      Optional<NewSignal> signal,
      Optional<Wanted> hook)
      implements IntentRequest {
    /**
     * The idempotency key.
     *
     * @param onMismatch what a key that was used with other values leads to
     */
    public record Key(RunKeyId id, Duration retention, OnKeyMismatch onMismatch) {}

    @Override
    public Set<RecordKey<?>> names() {
      return Stream.of(Stream.of(run), key.map(Key::id).stream(), hook.map(Wanted::hook).stream())
          .<RecordKey<?>>flatMap(keys -> keys)
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  /** Sends a signal to a run. */
  record SignalTo(RunId run, NewSignal signal) implements IntentRequest {
    @Override
    public Set<RecordKey<?>> names() {
      return Set.of(run);
    }
  }

  /** Sends a signal to the owner of a token. */
  record SignalThrough(HookId hook, NewSignal signal) implements IntentRequest {
    @Override
    public Set<RecordKey<?>> names() {
      return Set.of(hook);
    }
  }

  /** Cancels a run. */
  record Cancel(RunId run, String reason) implements IntentRequest {
    @Override
    public Set<RecordKey<?>> names() {
      return Set.of(run);
    }
  }

  /**
   * Completes the record on which it is pending. It names nothing: it is part of that record
   * already, and waits for no other intent.
   */
  sealed interface Completion extends IntentRequest {
    @Override
    default Set<RecordKey<?>> names() {
      return Set.of();
    }
  }

  /**
   * Completes an action.
   *
   * @param nonce of the claim
   */
  record CompleteAction(
      EntityId entity, long nonce, Optional<Payload> output, Optional<TraceParent> trace)
      implements Completion {}

  /** Completes the step of a run. */
  record CompleteTask(TaskClaim claim, Optional<Payload> output, Optional<Json.Obj> patch)
      implements Completion {}

  /** Completes an operation. */
  record CompleteOperation(
      OperationClaim claim, Optional<Payload> result, Optional<String> accountAfter)
      implements Completion {}

  /** Cannot be read: its function checked less than the server does. */
  record Malformed(String detail) implements IntentRequest {
    @Override
    public Set<RecordKey<?>> names() {
      return Set.of();
    }
  }
}
