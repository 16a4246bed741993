package dev.hapax.application.run;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.ReturnUndeliveredTask;
import dev.hapax.domain.run.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads granted tasks for the call that is answered with them. What cannot reach its caller is
 * given back, once for each delivery.
 */
record TaskDelivery(
    Ledger ledger,
    TaskReader reading,
    RunDispatcher routes,
    ReadBackoff backoff,
    ScheduledExecutorService timer) {
  private static final int TRIES = 10;
  private static final FailureLog READS = new FailureLog(TaskDelivery.class, "read of a task");

  TaskDelivery(
      Ledger ledger, TaskReader reading, RunDispatcher routes, ScheduledExecutorService timer) {
    this(ledger, reading, routes, new ReadBackoff(), timer);
  }

  /** A task, or why it could not be read. */
  private record Read(Run run, @Nullable Task task, @Nullable Throwable failure) {}

  /** Answers with the tasks that can be read; fails if there are some, and none can. */
  void deliver(GrantedTasks handout, CompletableFuture<List<Task>> answer) {
    var runs = handout.granted().stream().map(Claimed::run).toList();
    giveBackIfCancelled(runs, answer);
    var reads = handout.granted().stream().map(granted -> read(granted, handout.waited())).toList();
    var _ =
        CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
            .thenRun(() -> deliver(reads.stream().map(CompletableFuture::join).toList(), answer));
  }

  private void deliver(List<Read> reads, CompletableFuture<List<Task>> answer) {
    var tasks = new ArrayList<Task>();
    var unread = new ArrayList<Run>();
    var failure = Optional.<Throwable>empty();
    for (var read : reads) {
      if (read.task() == null) {
        unread.add(read.run());
        failure = Optional.ofNullable(read.failure());
      } else {
        tasks.add(read.task());
      }
    }
    var isAnswered =
        (tasks.isEmpty() && failure.isPresent())
            ? answer.completeExceptionally(failure.get())
            : answer.complete(tasks);
    if (isAnswered) {
      unread.forEach(this::giveBackUnread);
    }
  }

  /** Answers with the next task if it can be read: the completion stands without it, too. */
  void deliver(
      CompleteTaskOutcome outcome, Claimed next, CompletableFuture<StepCompletion> answer) {
    giveBackIfCancelled(List.of(next.run()), answer);
    var _ =
        read(next, Duration.ZERO)
            .thenAccept(
                read -> {
                  var completion = new StepCompletion(outcome, Optional.ofNullable(read.task()));
                  if (answer.complete(completion) && read.task() == null) {
                    giveBackUnread(read.run());
                  }
                });
  }

  /** Never fails. */
  private CompletableFuture<Read> read(Claimed granted, Duration waited) {
    return CompletableFuture.completedFuture(granted)
        .thenCompose(reading::of)
        .whenComplete(
            (_, failure) -> {
              if (failure == null) {
                backoff.succeeded(granted.run().id());
              } else {
                READS.failed(failure);
              }
            })
        .handle(
            (task, failure) ->
                new Read(granted.run(), task == null ? null : task.afterWaiting(waited), failure));
  }

  private void giveBackIfCancelled(List<Run> granted, CompletableFuture<?> answer) {
    var _ =
        answer.whenComplete(
            (_, _) -> {
              if (answer.isCancelled()) {
                granted.forEach(this::giveBack);
              }
            });
  }

  void giveBack(Run run) {
    giveBack(run, Duration.ZERO);
  }

  private void giveBackUnread(Run run) {
    giveBack(run, backoff.failed(run.id()));
  }

  private void giveBack(Run run, Duration delay) {
    run.claim().ifPresent(claim -> giveBack(new ReturnUndeliveredTask(claim, delay), TRIES));
  }

  /**
   * Sent again only where it certainly did not happen: a second one would take back what another
   * call delivered.
   */
  private void giveBack(ReturnUndeliveredTask command, int tries) {
    var _ =
        ledger
            .submit(command)
            .whenComplete(
                (freed, failure) -> {
                  if (freed != null) {
                    freed.ifPresent(routes::saw);
                  } else if (cause(failure) instanceof LedgerException.Overloaded busy
                      && tries > 1) {
                    var _ =
                        timer.schedule(
                            () -> giveBack(command, tries - 1),
                            busy.retryAfter().toNanos(),
                            TimeUnit.NANOSECONDS);
                  }
                });
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }
}
