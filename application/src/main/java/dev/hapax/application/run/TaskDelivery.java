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
 * Reads granted tasks and delivers them to a poll. Returns a task that cannot reach its caller,
 * once for each delivery.
 */
record TaskDelivery(
    Ledger ledger,
    TaskReader reader,
    RunDispatcher dispatcher,
    ReadBackoff backoff,
    ScheduledExecutorService timer) {
  private static final int TRIES = 10;
  private static final FailureLog READS = new FailureLog(TaskDelivery.class, "read of a task");

  TaskDelivery(
      Ledger ledger, TaskReader reader, RunDispatcher dispatcher, ScheduledExecutorService timer) {
    this(ledger, reader, dispatcher, new ReadBackoff(), timer);
  }

  /** A task, or the failure of its read. */
  private record Read(Run run, @Nullable Task task, @Nullable Throwable failure) {}

  /**
   * Completes the answer with the readable tasks; fails it if there are tasks and none is readable.
   */
  void deliver(GrantedTasks granted, CompletableFuture<List<Task>> answer) {
    var runs = granted.tasks().stream().map(Claimed::run).toList();
    returnIfCancelled(runs, answer);
    var reads = granted.tasks().stream().map(task -> read(task, granted.waited())).toList();
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
      unread.forEach(this::returnUnread);
    }
  }

  /**
   * Completes the answer with the next task if it is readable; otherwise with the completion alone.
   */
  void deliver(
      CompleteTaskOutcome outcome, Claimed next, CompletableFuture<StepCompletion> answer) {
    returnIfCancelled(List.of(next.run()), answer);
    var _ =
        read(next, Duration.ZERO)
            .thenAccept(
                read -> {
                  var completion = new StepCompletion(outcome, Optional.ofNullable(read.task()));
                  if (answer.complete(completion) && read.task() == null) {
                    returnUnread(read.run());
                  }
                });
  }

  /** Reads a task; the future never fails. */
  private CompletableFuture<Read> read(Claimed granted, Duration waited) {
    return CompletableFuture.completedFuture(granted)
        .thenCompose(reader::of)
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

  private void returnIfCancelled(List<Run> granted, CompletableFuture<?> answer) {
    var _ =
        answer.whenComplete(
            (_, _) -> {
              if (answer.isCancelled()) {
                granted.forEach(this::returnUndelivered);
              }
            });
  }

  void returnUndelivered(Run run) {
    returnUndelivered(run, Duration.ZERO);
  }

  private void returnUnread(Run run) {
    returnUndelivered(run, backoff.failed(run.id()));
  }

  private void returnUndelivered(Run run, Duration delay) {
    run.claim()
        .ifPresent(claim -> returnUndelivered(new ReturnUndeliveredTask(claim, delay), TRIES));
  }

  /**
   * Retries only after an error that excludes any effect: a second command would return the
   * delivery of another call.
   */
  private void returnUndelivered(ReturnUndeliveredTask command, int tries) {
    var _ =
        ledger
            .submit(command)
            .whenComplete(
                (freed, failure) -> {
                  if (freed != null) {
                    freed.ifPresent(dispatcher::onRunChanged);
                  } else if (cause(failure) instanceof LedgerException.Overloaded busy
                      && tries > 1) {
                    var _ =
                        timer.schedule(
                            () -> returnUndelivered(command, tries - 1),
                            busy.retryAfter().toNanos(),
                            TimeUnit.NANOSECONDS);
                  }
                });
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }
}
