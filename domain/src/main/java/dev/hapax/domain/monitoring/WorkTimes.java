package dev.hapax.domain.monitoring;

import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Derives the times of work from the committed changes of a batch, which has all of them. */
public final class WorkTimes {
  private final Consumer<WorkTime> times;

  /** Passes each time to this consumer, which must be quick and must not block. */
  public WorkTimes(Consumer<WorkTime> times) {
    this.times = times;
  }

  /** Emits the times of one committed batch. */
  public void committed(Map<RecordKey<?>, Batch.Change> changes) {
    for (var change : changes.values()) {
      if (change.after() instanceof Run run) {
        new OneRun(change.before() instanceof Run found ? found : null, run).emit();
      }
    }
  }

  /** The new events of one run, each with the time that ends with it. */
  private final class OneRun {
    private final long known;
    private final Run run;

    /** Since when the next task is ready, as far as that is known. */
    private Optional<Instant> ready;

    /** Since when a worker holds the step. */
    private Optional<Instant> held;

    OneRun(@Nullable Run before, Run run) {
      this.known = before == null ? 0 : before.version();
      this.run = run;
      this.ready =
          Optional.ofNullable(before)
              .filter(is -> is.phase() instanceof Phase.Ready)
              .flatMap(is -> is.phase().dueAt());
      this.held =
          Optional.ofNullable(before)
              .flatMap(Run::lastHeld)
              .map(is -> is.grant().fence().grantedAt());
    }

    void emit() {
      for (var event : run.newEvents()) {
        if (event.version() > known) {
          emit(event);
          ready = event.change().retryAt().or(() -> Optional.of(event.at()));
        }
      }
    }

    private void emit(RunEvent event) {
      switch (event.change()) {
        case RunChange.StepStarted(var grant) when grant.isPresent() -> {
          ready.ifPresent(since -> started(event, between(since, event.at())));
          held = Optional.of(event.at());
        }
        case RunChange.StepCompleted _,
            RunChange.StepFailed _,
            RunChange.StepSuspended _,
            RunChange.RetryScheduled _ -> {
          held.ifPresent(since -> executed(event, between(since, event.at())));
          held = Optional.empty();
        }
        case RunChange.LeaseLost _, RunChange.LeaseGivenBack _ -> held = Optional.empty();
        case RunChange.RunCompleted _ -> ended(event, RunStatus.COMPLETED);
        case RunChange.RunFailed _ -> ended(event, RunStatus.FAILED);
        case RunChange.RunCancelled _ -> ended(event, RunStatus.CANCELLED);
        case RunChange.Created _,
            RunChange.StepStarted _,
            RunChange.StepResumed _,
            RunChange.StepRecorded _,
            RunChange.PartBegun _,
            RunChange.PartFailed _,
            RunChange.StepSettled _,
            RunChange.SignalReceived _,
            RunChange.Paused _,
            RunChange.Resumed _,
            RunChange.Retried _,
            RunChange.HookCreated _,
            RunChange.HookDisposed _,
            RunChange.Superseded _,
            RunChange.Blocked _,
            RunChange.Admitted _ -> {}
      }
    }

    private void started(RunEvent event, Duration waited) {
      var step = run.definition().step(event.step());
      times.accept(
          new WorkTime.TaskStarted(run.id().workspace(), queue(step), step.name(), waited));
    }

    private void executed(RunEvent event, Duration took) {
      var step = run.definition().step(event.step());
      times.accept(new WorkTime.StepExecuted(run.id().workspace(), queue(step), step.name(), took));
    }

    private void ended(RunEvent event, RunStatus status) {
      times.accept(
          new WorkTime.RunTook(
              run.id().workspace(),
              run.definition().id().name(),
              status,
              between(run.origin().notBefore(), event.at())));
    }
  }

  /** Of a step that a worker got. */
  private static String queue(StepDefinition step) {
    return step.work().map(StepDefinition.Work::queue).orElseThrow();
  }

  /** A run may end before its start, and a clock may go back. */
  private static Duration between(Instant from, Instant to) {
    return to.isBefore(from) ? Duration.ZERO : Duration.between(from, to);
  }
}
