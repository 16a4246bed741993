package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Command.Urgency;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.PendingIntentException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A submitted command with its future, which is the only part used by several threads. Its size is
 * read once: a command that returns another one later must not upset a count.
 */
final class QueuedCommand<O> {
  private Command<O> command;
  private final Workspace workspace;
  private final Urgency urgency;
  private Set<RecordKey<?>> keys;
  private Set<RecordKey<?>> read;
  private final Set<RecordKey<?>> created;
  private final Set<RecordKey<?>> idempotency;
  private final int size;
  private final long deadlineNanos;
  private final CompletableFuture<O> future = new CompletableFuture<>();
  private @Nullable O outcome;
  private @Nullable LedgerException failure;
  private @Nullable RecordKey<?> pendingIntent;

  QueuedCommand(Command<O> command, long deadlineNanos) {
    this.command = command;
    this.workspace = command.workspace();
    this.urgency = command.urgency();
    this.keys = Set.copyOf(command.keys());
    this.read = Set.copyOf(command.reads());
    this.created = Set.copyOf(command.newKeys());
    this.idempotency = Set.copyOf(command.idempotencyKeys());
    this.size = command.size();
    this.deadlineNanos = deadlineNanos;
  }

  /**
   * The lock that a command needs.
   *
   * @param shared several transactions may have it at a time
   */
  record Lock(RecordKey<?> key, boolean shared) {}

  Command<O> command() {
    return command;
  }

  Workspace workspace() {
    return workspace;
  }

  Urgency urgency() {
    return urgency;
  }

  Set<RecordKey<?>> keys() {
    return keys;
  }

  /** Whether the command only reads this record. */
  boolean isShared(RecordKey<?> key) {
    return read.contains(key);
  }

  /** Whether the record cannot exist yet. */
  boolean isNew(RecordKey<?> key) {
    return created.contains(key);
  }

  /** Whether the record most likely does not exist. */
  boolean isIdempotencyKey(RecordKey<?> key) {
    return idempotency.contains(key);
  }

  Set<Lock> locks() {
    return keys.stream()
        .map(key -> new Lock(key, isShared(key)))
        .collect(Collectors.toUnmodifiableSet());
  }

  int size() {
    return size;
  }

  CompletableFuture<O> future() {
    return future;
  }

  /** Whether its deadline has passed, answered or not. */
  boolean isTimedOut(long nowNanos) {
    return nowNanos - deadlineNanos >= 0;
  }

  /** Whether its caller no longer waits. */
  boolean isOver(long nowNanos) {
    return isTimedOut(nowNanos) || future.isDone();
  }

  /** The result of an attempt to decide a command. */
  enum Decision {
    /** It has an outcome, or failed. */
    DECIDED,
    /** It needs more records, and names them from now on. */
    WIDENED,
    /** It needs a record that has a pending intent. */
    PENDING
  }

  /** Decides; a decision that throws fails this command only. */
  Decision decide(Batch batch) {
    outcome = null;
    failure = null;
    try {
      outcome = batch.decide(command);
    } catch (UnlockedRecordsException e) {
      widen(e.widened(command));
      return Decision.WIDENED;
    } catch (PendingIntentException e) {
      pendingIntent = e.intent();
      return Decision.PENDING;
    } catch (RuntimeException | Error e) {
      failure = new LedgerException.Defective("the decision threw: " + command.commandName(), e);
    }
    return Decision.DECIDED;
  }

  /** The intent that its last attempt found pending. */
  RecordKey<?> pendingIntent() {
    return Objects.requireNonNull(pendingIntent, "no intent was pending");
  }

  private void widen(Command<O> wider) {
    command = wider;
    keys = Set.copyOf(wider.keys());
    read = Set.copyOf(wider.reads());
  }

  /** Completes the future with the outcome that was decided. */
  void answer() {
    if (failure != null) {
      future.completeExceptionally(failure);
    } else {
      future.complete(outcome);
    }
  }

  void fail(LedgerException cause) {
    future.completeExceptionally(cause);
  }

  void timeOut() {
    fail(
        new LedgerException.Unavailable(
            "the database did not answer in time", PostgresLedger.RETRY_AFTER));
  }
}
