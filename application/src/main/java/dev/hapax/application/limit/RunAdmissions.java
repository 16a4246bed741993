package dev.hapax.application.limit;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.AdmitRuns;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitReads;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Admits runs that wait at limits: at once, after a commit of this node that calls for it, and by a
 * search, if the node that committed was stopped before. Rates delay runs until a time, which each
 * node knows a few seconds before.
 */
final class RunAdmissions {
  private static final Duration AHEAD = LineSearch.PERIOD.multipliedBy(2);
  private static final int AT_ONCE = 1_000;
  private static final UUID FIRST = new UUID(0, 0);

  private final LimitReads reads;
  private final Runs runs;
  private final FailureLog log = new FailureLog(RunAdmissions.class, "admission of runs");
  private volatile @Nullable AdmissionTimer due;

  /** Makes the admissions that commits of this ledger call for. */
  RunAdmissions(Ledger ledger, LimitReads reads, Runs runs) {
    this.reads = reads;
    this.runs = runs;
    ledger.onChanges(changes -> AdmitRuns.after(changes).forEach(this::admitLogged));
  }

  /** Admits runs by this timer when their rates let them start. */
  void timeBy(ScheduledExecutorService timer) {
    due = new AdmissionTimer(timer, key -> admitLogged(new AdmitRuns(key)));
  }

  /** Admits runs to limits with room, and learns when rates let the next ones start. */
  CompletableFuture<Void> search() {
    return CompletableFuture.allOf(search(Optional.empty(), _ -> true), loadDue());
  }

  /** A setting may have given room to this value, or without one to many lines. */
  CompletableFuture<?> roomFor(LimitKey key) {
    return key.value().isEmpty()
        ? search(Optional.of(new LineId(key.workspace(), FIRST)), key.workspace()::equals)
        : admit(new AdmitRuns(key));
  }

  /** Admits runs to limits with room, as long as their lines are within this. */
  private CompletableFuture<Void> search(Optional<LineId> after, Predicate<Workspace> within) {
    return reads
        .free(after, AT_ONCE)
        .thenCompose(
            found -> {
              var admitted =
                  CompletableFuture.allOf(
                      found.items().stream()
                          .filter(key -> within.test(key.workspace()))
                          .map(key -> admit(new AdmitRuns(key)).handle(this::logged))
                          .toArray(CompletableFuture[]::new));
              return found.next().filter(last -> within.test(last.workspace())).isEmpty()
                  ? admitted
                  : admitted.thenCompose(_ -> search(found.next(), within));
            });
  }

  /** Loads the times that other nodes know, and those from before this node was started. */
  private CompletableFuture<Void> loadDue() {
    return reads
        .due(AHEAD, AT_ONCE)
        .thenAccept(found -> found.forEach(limit -> admitIn(limit.key(), limit.in())));
  }

  /** Later times are loaded later. */
  private void admitIn(LimitKey key, Duration in) {
    var timer = due;
    if (timer != null && in.compareTo(AHEAD) <= 0) {
      timer.put(key, in);
    }
  }

  /** After a failure, the search finds the limit. */
  private void admitLogged(AdmitRuns command) {
    var _ = admit(command).whenComplete(log::ended);
  }

  /** A limit that fails must not hide the others from the search. */
  private @Nullable Void logged(
      AdmitRuns.@Nullable Admitted admitted, @Nullable Throwable failure) {
    log.ended(admitted, failure);
    return null;
  }

  private CompletableFuture<AdmitRuns.Admitted> admit(AdmitRuns command) {
    return runs.submit(command, outcome -> outcome.runs().stream())
        .thenCompose(
            outcome -> {
              outcome.delay().ifPresent(in -> admitIn(command.key(), in));
              return outcome.isUnfinished()
                  ? admit(command)
                  : CompletableFuture.completedFuture(outcome);
            });
  }
}
