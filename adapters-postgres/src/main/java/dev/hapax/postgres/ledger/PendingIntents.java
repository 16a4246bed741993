package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Has intents taken that are pending on records: a record is neither changed nor returned before
 * what its holder committed is part of it.
 */
public final class PendingIntents {
  private volatile Function<RecordKey<?>, CompletableFuture<?>> take =
      intent ->
          CompletableFuture.failedFuture(
              new LedgerException.Unavailable("this server does not take intents: " + intent));

  /**
   * A record as it is stored.
   *
   * @param pendingIntent the intent that completes it, if none has taken it yet
   */
  public record Stored<R>(R record, Optional<? extends RecordKey<?>> pendingIntent) {}

  void onPendingIntent(Function<RecordKey<?>, CompletableFuture<?>> taker) {
    take = taker;
  }

  /** Puts commands back into their queue once the intents were taken that they found pending. */
  void takeThen(List<QueuedCommand<?>> commands, CommandQueue queue) {
    commands.stream()
        .collect(Collectors.groupingBy(QueuedCommand::pendingIntent))
        .forEach((intent, waiting) -> takeThen(intent, waiting, queue));
  }

  private void takeThen(RecordKey<?> intent, List<QueuedCommand<?>> waiting, CommandQueue queue) {
    var taken = new CompletableFuture<Void>();
    queue.park(waiting, taken);
    var _ =
        take.apply(intent)
            .whenComplete(
                (_, failure) -> {
                  if (failure != null) {
                    var cause =
                        new LedgerException.Unavailable("cannot take pending " + intent, failure);
                    waiting.forEach(command -> command.fail(cause));
                  }
                  taken.complete(null);
                });
  }

  /** Reads a record again until no intent is pending on it. */
  public <R> CompletableFuture<Optional<R>> settled(
      Supplier<CompletableFuture<Optional<Stored<R>>>> read) {
    return read.get()
        .thenCompose(
            found ->
                found
                    .flatMap(Stored::pendingIntent)
                    .map(intent -> take.apply(intent).thenCompose(_ -> settled(read)))
                    .orElseGet(() -> CompletableFuture.completedFuture(found.map(Stored::record))));
  }
}
