package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.QUEUE;
import static dev.hapax.domain.definition.Steps.RETRY;
import static dev.hapax.domain.definition.Steps.atMostOnce;
import static dev.hapax.domain.definition.Steps.code;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static dev.hapax.domain.definition.Steps.timer;
import static dev.hapax.domain.definition.Steps.within;
import static dev.hapax.domain.run.Story.BEGINNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.RunChange.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of attempts, of starts and of runs. */
class TimeLimitsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(40);
  private static final Payload ROW = new Payload.Json("41");
  private static final Optional<UUID> POLL = Optional.of(new UUID(0, 1));
  private static final RunTimeouts START = new RunTimeouts(Optional.of(TIMEOUT), Optional.empty());
  private static final RunTimeouts END = new RunTimeouts(Optional.empty(), Optional.of(HOUR));

  private static Story started(RunTimeouts timeouts, StepDefinition... steps) {
    var story = Story.untold(steps);
    story.does(story.start(Optional.empty(), timeouts));
    return story;
  }

  private static void assertFailed(Story story, String code) {
    assertThat(story.run().phase())
        .isInstanceOfSatisfying(
            Phase.Failed.class, failed -> assertThat(failed.failure().code()).isEqualTo(code));
  }

  @Nested
  class OfAnAttempt {
    private static final StepDefinition IMPORT = within(TIMEOUT, task("import"));

    @Test
    @DisplayName(
        "given heartbeats without end, then the attempt is cut and the next one granted [turns-T1]")
    void cut() {
      var story = Story.held(IMPORT);
      var claim = story.claim();
      story.later(LEASE.minusSeconds(1));
      assertThat(story.does(story.heartbeat(claim)))
          .isEqualTo(
              new HeartbeatOutcome.Renewed(
                  story.run(), Duration.ofSeconds(11), Optional.of(Duration.ofSeconds(11))));
      story.later(Duration.ofSeconds(11));
      assertThat(story.does(story.heartbeat(claim))).isInstanceOf(TaskLost.class);
      story.does(story.advance());
      assertThat(story.lastChange()).isEqualTo(new RunChange.LeaseLost(false, true));
      assertThat(story.lastChange().findFailure().orElseThrow().code())
          .isEqualTo("ATTEMPT_TIMEOUT");
      assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class);
      story.take();
      assertThat(story.run().position().attempt()).isEqualTo(2);
      assertThat(story.run().held().orElseThrow().attemptUntil())
          .contains(story.now().plus(TIMEOUT));
    }

    @Test
    @DisplayName("given a lease that expires before, then the code is LEASE_LOST")
    void silent() {
      var story = Story.held(IMPORT).later(HOUR);
      story.does(story.advance());
      assertThat(story.lastChange()).isEqualTo(new RunChange.LeaseLost(false, false));
    }

    @Test
    @DisplayName("given a policy that does not retry ATTEMPT_TIMEOUT, then the run fails")
    void notRetried() {
      var once = new RetryPolicy(3, LEASE, 2, LEASE, Set.of("ATTEMPT_TIMEOUT"));
      var story = Story.held(within(Duration.ofSeconds(10), task("import", QUEUE, once)));
      story.later(Duration.ofSeconds(10)).does(story.advance());
      assertFailed(story, "ATTEMPT_TIMEOUT");
    }

    @Test
    @DisplayName("given the last attempt, then the run fails with its code")
    void last() {
      var story = Story.of(within(Duration.ofSeconds(10), task("import")));
      for (var attempt = 1; attempt <= RETRY.maxAttempts(); attempt++) {
        story.take();
        story.later(Duration.ofSeconds(10)).does(story.advance());
      }
      assertFailed(story, "ATTEMPT_TIMEOUT");
    }

    @Test
    @DisplayName("a retry of its poll does not renew it beyond its time, but gets the next attempt")
    void redelivered() {
      var story = Story.of(within(Duration.ofSeconds(10), task("import")));
      story.does(story.offer(QUEUE, POLL));
      story.later(Duration.ofSeconds(5)).does(story.offer(QUEUE, POLL));
      assertThat(story.run().due()).contains(BEGINNING.plusSeconds(10));
      story.later(Duration.ofSeconds(5)).does(story.offer(QUEUE, POLL));
      assertThat(story.run().position().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("a resumed suspension has the whole time again")
    void resumed() {
      var story = Story.held(within(TIMEOUT, code("body")));
      story.does(story.suspend(story.claim(), HOUR));
      story.later(HOUR).does(story.advance());
      story.take();
      assertThat(story.run().position().attempt()).isEqualTo(1);
      assertThat(story.run().held().orElseThrow().attemptUntil())
          .contains(story.now().plus(TIMEOUT));
    }

    @Test
    @DisplayName("a step that runs at most once is in doubt, and its late completion counts")
    void atMostOnceStep() {
      var story = Story.held(within(Duration.ofSeconds(10), atMostOnce("pay", RETRY)));
      var claim = story.claim();
      story.later(Duration.ofSeconds(10)).does(story.advance());
      assertThat(story.lastChange()).isEqualTo(new RunChange.LeaseLost(true, true));
      assertThat(story.does(story.heartbeat(claim))).isInstanceOf(TaskLost.class);
      assertThat(story.run().phase()).isInstanceOf(Phase.InDoubt.class);
      story.does(story.complete(claim));
      assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    @DisplayName(
        "given a completion at the end of its time, then it is too late, and the attempt is cut"
            + " [turns-T6]")
    void sameMoment() {
      var story = Story.held(IMPORT);
      story.later(Duration.ofSeconds(20)).does(story.heartbeat(story.claim()));
      var claim = story.claim();
      story.later(Duration.ofSeconds(20));
      assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class);
      story.does(story.advance());
      assertThat(story.tale()).startsWith("Created", "StepStarted", "LeaseLost");
    }

    @Test
    @DisplayName("given a completion just before the end of its time, then it counts [turns-T6]")
    void inTime() {
      var story = Story.held(IMPORT);
      story.later(Duration.ofSeconds(20)).does(story.heartbeat(story.claim()));
      var claim = story.claim();
      story.later(Duration.ofSeconds(20).minusNanos(1_000));
      story.does(story.complete(claim));
      story.does(story.advance());
      assertThat(story.tale())
          .containsExactly("Created", "StepStarted", "StepCompleted", "RunCompleted");
    }

    @Test
    @DisplayName("it is 1 s to 30 days")
    void bounds() {
      for (var wrong : List.of(Duration.ofMillis(999), Duration.ofDays(30).plusNanos(1))) {
        assertThatThrownBy(() -> within(wrong, task("import")))
            .isInstanceOf(InvalidValueException.class)
            .hasMessage("must be between 1 s and 30 days");
      }
    }
  }

  @Nested
  class Details {
    @Test
    @DisplayName("the details of an attempt that is lost reach the next one [turns-T2]")
    void handedOver() {
      var story = Story.held(task("import"));
      story.does(story.heartbeat(story.claim(), new Payload.Json("40")));
      story.does(story.heartbeat(story.claim(), ROW));
      story.does(story.heartbeat(story.claim()));
      story.later(LEASE).does(story.advance());
      story.take();
      assertThat(story.run().details()).contains(ROW);
      story.does(story.fail(story.claim()));
      assertThat(story.run().details()).contains(ROW);
    }

    @Test
    @DisplayName("they end with their step, and change no version")
    void ended() {
      var story = Story.held(task("import"), task("more"));
      story.does(story.heartbeat(story.claim(), ROW));
      assertThat(story.run().version()).isEqualTo(2);
      story.does(story.complete(story.claim()));
      assertThat(story.run().details()).isEmpty();
    }

    @Test
    @DisplayName("RetryRun continues from them")
    void retried() {
      var story = Story.held(task("import"));
      story.does(story.heartbeat(story.claim(), ROW));
      story.does(story.failFinally(story.claim()));
      story.does(story.retry());
      assertThat(story.run().details()).contains(ROW);
    }
  }

  @Nested
  class OfAStart {
    @Test
    @DisplayName(
        "given no worker in time, then FAILED, and a poll at that moment gets nothing [turns-T3]")
    void missed() {
      var story = started(START, task("work")).later(TIMEOUT);
      assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
      assertFailed(story, "NOT_STARTED_IN_TIME");
      assertThat(story.chronicle.steps()).containsExactly(StepStatus.FAILED);
    }

    @Test
    @DisplayName("it counts from start_at [turns-T3]")
    void startAt() {
      var story = Story.untold(task("work"));
      story.does(story.start(Optional.of(BEGINNING.plus(HOUR)), START));
      assertThat(story.run().deadline()).contains(BEGINNING.plus(HOUR).plus(TIMEOUT));
      story.later(HOUR).take();
      assertThat(story.run().deadline()).isEmpty();
    }

    @Test
    @DisplayName("given a worker that is lost after it, then the attempt is repeated [turns-T4]")
    void startedInTime() {
      var story = started(START, task("work")).later(TIMEOUT.minusMillis(1));
      story.take();
      story.later(HOUR).does(story.advance());
      assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
      story.take();
    }

    @Test
    @DisplayName("given RetryRun, then the run is PENDING, and waits as long as it must [turns-T4]")
    void retried() {
      var story = started(START, task("work")).later(TIMEOUT);
      story.does(story.advance());
      story.does(story.retry());
      assertThat(story.status()).isEqualTo(RunStatus.PENDING);
      story.later(Duration.ofDays(9)).does(story.advance());
      assertThat(story.status()).isEqualTo(RunStatus.PENDING);
      assertThat(story.take().step()).isZero();
    }

    @Test
    @DisplayName("an earlier deadline of the run comes first")
    void laterThanEnd() {
      var timeouts = new RunTimeouts(Optional.of(HOUR), Optional.of(TIMEOUT));
      var story = started(timeouts, task("work")).later(TIMEOUT);
      story.does(story.advance());
      assertFailed(story, "RUN_TIMEOUT");
    }

    @Test
    @DisplayName("given both, then the deadline of the run remains after the start")
    void both() {
      var timeouts = new RunTimeouts(Optional.of(TIMEOUT), Optional.of(HOUR));
      var story = started(timeouts, task("work"));
      assertThat(story.run().deadline()).contains(BEGINNING.plus(TIMEOUT));
      story.take();
      assertThat(story.run().deadline()).contains(BEGINNING.plus(HOUR));
    }

    @Test
    @DisplayName("given a row that a server without deadlines started, then only the end is left")
    void restored() {
      var timeouts = new RunTimeouts(Optional.of(TIMEOUT), Optional.of(HOUR));
      var origin = started(timeouts, task("work")).run().origin();
      var start = Optional.of(BEGINNING.plus(TIMEOUT));
      var end = Optional.of(BEGINNING.plus(HOUR));
      assertThat(Deadlines.of(origin, Optional.empty(), start))
          .isEqualTo(new Deadlines(start, end));
      assertThat(Deadlines.of(origin, Optional.of(BEGINNING), start))
          .isEqualTo(new Deadlines(Optional.empty(), end));
      assertThat(Deadlines.of(origin, Optional.of(BEGINNING), end))
          .isEqualTo(new Deadlines(Optional.empty(), end));
    }
  }

  @Nested
  class OfARun {
    @ParameterizedTest
    @ValueSource(strings = {"in doubt", "held at most once"})
    @DisplayName(
        "given a step that may have had its only effect at the deadline, then an operator settles it")
    void unknownEffect(String phase) {
      var story = in(phase);
      var at = story.run().deadline().orElseThrow();
      story.later(Duration.between(story.now(), at)).does(story.advance());
      assertFailed(story, FailTask.UNKNOWN_EFFECT);
      assertThat(story.run().phase())
          .isInstanceOfSatisfying(
              Phase.Failed.class,
              failed -> assertThat(failed.failure().message()).startsWith("RUN_TIMEOUT: "));
    }

    private Story in(String phase) {
      var story =
          switch (phase) {
            case "pending" -> Story.untold(task("work"));
            case "timer" -> Story.untold(timer("sleep", HOUR.plus(HOUR)));
            case "signal" -> Story.untold(signal("approval", "go"));
            case "in doubt", "held at most once" ->
                Story.untold(atMostOnce("pay", RETRY), task("more"));
            default -> Story.untold(code("work"), task("more"));
          };
      var startAt = BEGINNING.plus(Duration.ofDays(1));
      story.does(
          story.start(phase.equals("pending") ? Optional.of(startAt) : Optional.empty(), END));
      switch (phase) {
        case "held", "held at most once" ->
            story.does(new HeartbeatTask(story.take(), HOUR.plus(HOUR)));
        case "in doubt" -> {
          story.take();
          story.later(LEASE).does(story.advance());
        }
        case "retry pause" -> story.does(story.fail(story.take()));
        case "between steps" -> story.does(story.complete(story.take()));
        case "suspended" -> story.does(story.suspend(story.take(), HOUR.plus(HOUR)));
        case "paused" -> {
          story.does(new HeartbeatTask(story.take(), HOUR.plus(HOUR)));
          story.does(story.control(Verb.PAUSE));
        }
        case "paused, step failed" -> {
          var claim = story.take();
          story.does(story.control(Verb.PAUSE));
          story.does(story.failFinally(claim));
        }
        default -> {}
      }
      return story;
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "pending",
          "ready",
          "held",
          "retry pause",
          "between steps",
          "suspended",
          "timer",
          "signal",
          "paused"
        })
    @DisplayName(
        "given a deadline, then a run in any phase fails at it, and RetryRun continues it [turns-T5]")
    void missed(String phase) {
      var story = in(phase);
      var at = story.run().deadline().orElseThrow();
      story.later(Duration.between(story.now(), at).minusMillis(1)).does(story.advance());
      assertThat(story.run().hasEnded()).isFalse();
      var last = story.run().claim();
      story.later(Duration.ofMillis(1)).does(story.advance());
      assertFailed(story, "RUN_TIMEOUT");
      last.ifPresent(
          claim -> assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class));
      var step = story.run().position().step();
      story.later(HOUR).does(story.retry());
      assertThat(story.run().hasEnded()).isFalse();
      assertThat(story.run().position().step()).isEqualTo(step);
      assertThat(story.run().deadline()).contains(story.now().plus(HOUR));
    }

    @Test
    @DisplayName("given a paused run whose step failed, then it ends with that failure [turns-T5]")
    void stepFailed() {
      var story = in("paused, step failed").later(HOUR);
      story.does(story.advance());
      assertFailed(story, Story.FAILURE.code());
    }

    @Test
    @DisplayName(
        "given a paused run whose steps are done, then it fails, and RetryRun completes it")
    void allDone() {
      var story = started(END, task("work"));
      var claim = story.take();
      story.does(story.control(Verb.PAUSE));
      story.does(story.complete(claim));
      story.later(HOUR).does(story.advance());
      assertFailed(story, "RUN_TIMEOUT");
      story.does(story.retry());
      assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    @DisplayName("given a completion at that moment, then one of them counts [turns-T6]")
    void sameMoment() {
      var first = in("held");
      var claim = first.claim();
      first.later(HOUR).does(first.advance());
      assertThat(first.does(first.complete(claim))).isInstanceOf(TaskLost.class);
      var other = started(END, task("work"));
      other.later(HOUR.minusSeconds(1)).take();
      other.later(Duration.ofSeconds(1)).does(other.complete(other.claim()));
      other.does(other.advance());
      assertThat(other.status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    @DisplayName("given a step that completes after it, then the next one does not begin")
    void nextStep() {
      var story = in("held");
      story.later(HOUR).does(story.complete(story.claim()));
      assertFailed(story, "RUN_TIMEOUT");
      assertThat(story.run().position().step()).isEqualTo(1);
    }

    @Test
    @DisplayName("SettleStep gives the run its whole time again")
    void settled() {
      var story = in("held").later(HOUR);
      story.does(story.advance());
      story.does(story.settle(new Verdict.Skip()));
      assertThat(story.run().deadline()).contains(story.now().plus(HOUR));
    }

    @Test
    @DisplayName("a run without its own timeout has that of its definition")
    void ofDefinition() {
      assertThat(end(RunTimeouts.NONE)).contains(BEGINNING.plus(HOUR));
      assertThat(end(new RunTimeouts(Optional.empty(), Optional.of(TIMEOUT))))
          .contains(BEGINNING.plus(TIMEOUT));
    }

    private static Optional<Instant> end(RunTimeouts timeouts) {
      var definition =
          new Definition(
              new DefinitionId(Workspace.DEFAULT, "order", "1"),
              List.of(task("work")),
              Optional.of(HOUR),
              BEGINNING,
              Attribution.SERVER);
      var story = Story.untold(definition);
      story.does(story.start(Optional.empty(), timeouts));
      return story.run().deadlines().end();
    }

    @Test
    @DisplayName("it is more than 0, and at most 365 days")
    void bounds() {
      for (var wrong : List.of(Duration.ZERO, Duration.ofDays(365).plusNanos(1))) {
        assertThatThrownBy(() -> new RunTimeouts(Optional.of(wrong), Optional.empty()))
            .isInstanceOf(InvalidValueException.class);
        assertThatThrownBy(() -> new RunTimeouts(Optional.empty(), Optional.of(wrong)))
            .isInstanceOf(InvalidValueException.class);
      }
    }
  }
}
