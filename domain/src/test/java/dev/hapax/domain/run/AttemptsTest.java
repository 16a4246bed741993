package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.FATAL;
import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.QUEUE;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.TypeId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.Steps;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attempts of a step: leases, retries, their end. */
class AttemptsTest {
  private static final Duration TICK = Duration.ofNanos(1_000);
  private static final Duration LONG = Duration.ofMinutes(5);

  private static int attempt(Story story) {
    return story.run().position().attempt();
  }

  @Test
  @DisplayName("a retry is due within the policy's pause, and not taken before [R11]")
  void backoff() {
    var story = Story.held(task("work"));
    var failed = (FailTaskOutcome.Failed) story.does(story.fail(story.claim()));
    // jitter 0.5 of 10 s
    assertThat(story.run().due()).contains(story.now().plusSeconds(5));
    assertThat(failed.retryAt()).isEqualTo(story.run().due());
    story.later(Duration.ofSeconds(5).minus(TICK));
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    story.later(TICK).take();
    assertThat(attempt(story)).isEqualTo(2);
    story.does(story.fail(story.claim()));
    assertThat(story.run().due()).contains(story.now().plusSeconds(10));
  }

  @Test
  @DisplayName("the pause that a worker requests replaces that of the policy [R11]")
  void retryAfter() {
    var story = Story.held(task("work"));
    story.does(
        new FailTask(
            story.claim(), Story.FAILURE, false, Optional.of(LONG), 0.5, PrincipalName.NONE));
    assertThat(story.run().due()).contains(story.now().plus(LONG));
  }

  @Test
  @DisplayName("that pause is more than 0 and at most 30 days [R11]")
  void retryAfterBounds() {
    var month = Duration.ofDays(30);
    assertThat(FailTask.requireRetryAfter(Duration.ofNanos(1))).isPositive();
    assertThat(FailTask.requireRetryAfter(month)).isEqualTo(month);
    for (var bad : List.of(Duration.ZERO, Duration.ofNanos(-1), month.plusNanos(1))) {
      assertThatThrownBy(() -> FailTask.requireRetryAfter(bad))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("the last attempt fails step and run, with the failure kept [R11]")
  void lastAttempt() {
    var story = Story.held(task("work"), task("never"));
    story.does(story.fail(story.claim()));
    story.later(LONG);
    story.does(story.fail(story.take()));
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
    story.later(LONG).take();
    var last =
        (FailTaskOutcome.Failed)
            story.does(
                new FailTask(
                    story.claim(),
                    new Failure("LAST", "of three", Optional.of(Story.OUTPUT)),
                    false,
                    Optional.of(LONG),
                    0.5,
                    PrincipalName.NONE));
    assertThat(last.retryAt()).isEmpty();
    assertThat(story.run().phase())
        .isEqualTo(
            new Phase.Failed(
                story.now(), new Failure("LAST", "of three", Optional.of(Story.OUTPUT))));
    assertThat(story.tale()).endsWith("StepFailed", "RunFailed");
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.FAILED, StepStatus.PENDING);
    assertThat(story.later(LONG).offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
  }

  @ParameterizedTest
  @DisplayName("a FINAL failure, or one with a non-retryable code, stops at once [R11]")
  @CsvSource({
    "ANY, true, FAILED",
    "FATAL, false, FAILED",
    "FATAL, true, FAILED",
    "ANY, false, RUNNING"
  })
  void isFinal(String code, boolean isFinal, RunStatus status) {
    var story = Story.held(task("work"));
    var failure = new Failure(code, "", Optional.empty());
    story.does(
        new FailTask(story.claim(), failure, isFinal, Optional.of(LONG), 0, PrincipalName.NONE));
    assertThat(story.status()).isEqualTo(status);
    assertThat(story.run().phase() instanceof Phase.Failed(_, var kept) && kept.equals(failure))
        .isEqualTo(status == RunStatus.FAILED);
  }

  @Test
  @DisplayName("one attempt means no retry [R11]")
  void oneAttempt() {
    var once = new RetryPolicy(1, Duration.ofSeconds(1), 2, Duration.ofSeconds(1), Set.of(FATAL));
    var story = Story.held(task("work", QUEUE, once));
    story.does(story.fail(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @DisplayName("RetryRun continues the attempt count and grants as many attempts again [R11]")
  void retryRun() {
    var story = Story.held(task("work"));
    story.does(story.fail(story.claim()));
    story.later(LONG);
    story.does(story.failFinally(story.take()));
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
    for (var round = 0; round < 2; round++) {
      var first = attempt(story) + 1;
      assertThat(story.does(story.retry())).isInstanceOf(ControlOutcome.Applied.class);
      assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
      for (var attempt = first; attempt < first + 3; attempt++) {
        assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
        story.take();
        assertThat(attempt(story)).isEqualTo(attempt);
        story.does(story.fail(story.claim()));
        story.later(LONG);
      }
      assertThat(story.status()).isEqualTo(RunStatus.FAILED);
    }
    assertThat(attempt(story)).isEqualTo(8);
  }

  @Test
  @DisplayName("RetryRun keeps completed steps, and waits again for a signal [R11]")
  void retryOfAWait() {
    var story = Story.held(task("work"), signal("approval", "go", LONG));
    story.does(story.complete(story.claim()));
    story.later(LONG);
    story.does(story.advance());
    assertThat(story.run().phase())
        .isInstanceOfSatisfying(
            Phase.Failed.class,
            failed -> assertThat(failed.failure().code()).isEqualTo("SIGNAL_TIMEOUT"));
    story.later(LONG);
    story.does(story.retry());
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    assertThat(story.run().due()).contains(story.now().plus(LONG));
    assertThat(attempt(story)).isEqualTo(2);
    story.does(story.signal("s1", "go"));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("an expired lease raises the attempt and the fence for another worker [R12]")
  void leaseLost() {
    var story = Story.held(task("work"));
    var first = story.claim();
    story.later(LEASE.minus(TICK));
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    story.later(TICK);
    var second = story.take();
    assertThat(attempt(story)).isEqualTo(2);
    assertThat(second.fence()).isGreaterThan(first.fence());
    assertThat(story.does(story.complete(first))).isInstanceOf(TaskLost.class);
    assertThat(story.does(story.complete(second)))
        .isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(story.tale())
        .containsExactly(
            "Created", "StepStarted", "LeaseLost", "StepStarted", "StepCompleted", "RunCompleted");
  }

  @Test
  @DisplayName("given an expired lease without a new holder, then the late holder still completes")
  void lateHolder() {
    var story = Story.held(task("work")).later(LONG);
    assertThat(story.does(story.heartbeat(story.claim())))
        .isEqualTo(new HeartbeatOutcome.Renewed(story.run(), LEASE, Optional.empty()));
    story.later(LONG);
    story.does(story.complete(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("a step that kills its workers stops at the last attempt [R12]")
  void poison() {
    var story = Story.of(task("work"));
    for (var attempt = 1; attempt <= 3; attempt++) {
      story.take();
      assertThat(attempt(story)).isEqualTo(attempt);
      story.later(LEASE);
      story.does(story.advance());
    }
    assertThat(story.run().phase())
        .isInstanceOfSatisfying(
            Phase.Failed.class,
            failed -> assertThat(failed.failure().code()).isEqualTo("LEASE_LOST"));
    assertThat(story.tale()).endsWith("LeaseLost", "StepFailed", "RunFailed");
  }

  @Test
  @DisplayName("the fence rises even where the clock goes back")
  void fences() {
    var story = Story.held(task("work"));
    var first = story.claim();
    story.later(LEASE);
    story.does(story.advance());
    var lost = story.run().due().orElseThrow();
    story.later(Duration.between(story.now(), Instant.EPOCH));
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    story.later(Duration.between(Instant.EPOCH, lost));
    var second = story.take();
    story.does(new ReturnUndeliveredTask(second));
    var third = story.take();
    assertThat(List.of(first.fence(), second.fence(), third.fence()))
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("a returned or suspended step continues as the same attempt, with a higher fence")
  void sameAttempt() {
    var story = Story.held(task("work"));
    var fences = new HashSet<>(Set.of(story.claim().fence()));
    for (var i = 0; i < 5; i++) {
      story.does(new ReturnUndeliveredTask(story.claim()));
      story.take();
      assertThat(attempt(story)).isEqualTo(1);
      assertThat(fences.add(story.claim().fence())).isTrue();
      story.does(story.suspend(story.claim(), LONG));
      assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
      story.later(LONG).take();
      assertThat(attempt(story)).isEqualTo(1);
      assertThat(fences.add(story.claim().fence())).isTrue();
    }
    assertThat(story.run().position().allowed()).as("a new budget after a wait").isEqualTo(4);
  }

  @Test
  @DisplayName("a completed step is not granted again; a duplicate gets the next one [R9]")
  void doneIsDone() {
    var story = Story.held(task("a"), task("b"));
    var first = story.claim();
    story.does(story.complete(first));
    var second = story.take();
    assertThat(second.step()).isEqualTo(1);
    var before = story.records();
    assertThat(story.does(story.complete(first)))
        .isEqualTo(new TaskLost(first, Optional.of(story.run())));
    assertThat(story.does(story.fail(first))).isInstanceOf(TaskLost.class);
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("the id of a step is the same on every attempt, and of no other step [R13]")
  void stepIds() {
    var ids = new HashSet<String>();
    for (var run = 0; run < 10; run++) {
      var id =
          new RunId(Story.ID.workspace(), new UUID(Story.ID.uuid().getMostSignificantBits(), run));
      for (var step = 0; step < 1_000; step++) {
        assertThat(id.step(step)).isEqualTo(id.step(step)).startsWith("step_").hasSize(31);
        assertThat(ids.add(id.step(step))).isTrue();
      }
      // sorted by time as its run is, and a UUID of version 7
      assertThat(id.step(0).substring(5, 15)).isEqualTo(id.text().substring(4, 14));
      assertThat(TypeId.parse("step", id.step(0)).orElseThrow())
          .matches(uuid -> uuid.version() == 7);
    }
  }

  @Test
  @DisplayName("given a retried poll, then it gets the same grant with a renewed lease [X1]")
  void pollAgain() {
    var story = Story.of(task("work"));
    var poll = Optional.of(new UUID(1, 2));
    story.does(story.offer(QUEUE, poll));
    var claim = story.claim();
    story.later(LEASE.dividedBy(2));
    var again = (ClaimTaskOutcome.Claimed) story.does(story.offer(QUEUE, poll));
    assertThat(again.run().claim()).contains(claim);
    assertThat(again.run().due()).contains(story.now().plus(LEASE));
    // no worker replaced it: the remaining lease is never negative
    story.later(LONG);
    var late = (ClaimTaskOutcome.Claimed) story.does(story.offer(QUEUE, poll));
    assertThat(late.run().claim()).contains(claim);
    assertThat(late.run().due()).contains(story.now().plus(LEASE));
    assertThat(story.history()).hasSize(2);
  }

  @Test
  @DisplayName(
      "given a task delivered to two calls, then it is free only when both have returned it")
  void deliveredTwice() {
    var story = Story.of(task("work"));
    var poll = Optional.of(new UUID(1, 2));
    story.does(story.offer(QUEUE, poll));
    story.does(story.offer(QUEUE, poll));
    var claim = story.claim();

    assertThat(story.does(new ReturnUndeliveredTask(claim))).isEmpty();
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    assertThat(story.does(story.heartbeat(claim))).isInstanceOf(HeartbeatOutcome.Renewed.class);

    assertThat(story.does(new ReturnUndeliveredTask(claim))).isPresent();
    assertThat(story.does(new ReturnUndeliveredTask(claim))).isEmpty();
    story.take();
    assertThat(attempt(story)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given a next task delivered by two completions, when the first returns it, then it stays held")
  void nextDeliveredTwice() {
    var story = Story.held(task("a"), task("b"));
    var completion = story.completeAndTakeNext(story.claim());
    var first = (CompleteTaskOutcome.Completed) story.does(completion);
    story.later(LEASE.dividedBy(2));
    var second = (CompleteTaskOutcome.Completed) story.does(completion);

    assertThat(second.already()).isTrue();
    assertThat(second.run().claim()).isEqualTo(first.run().claim());
    assertThat(second.next().orElseThrow().leaseRemaining()).isEqualTo(LEASE);
    assertThat(story.does(new ReturnUndeliveredTask(story.claim()))).isEmpty();
    assertThat(story.does(story.complete(story.claim())))
        .isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("a released step is offered again after the delay, as the same attempt")
  void released() {
    var story = Story.held(task("work"));
    var delay = Duration.ofSeconds(5);

    assertThat(story.does(new ReleaseTask(story.claim(), delay, PrincipalName.NONE)))
        .isInstanceOf(ReleaseTaskOutcome.Released.class);

    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    assertThat(story.run().due()).contains(story.now().plus(delay));
    story.later(delay).take();
    assertThat(attempt(story)).isEqualTo(1);
    assertThat(story.tale())
        .containsExactly("Created", "StepStarted", "LeaseGivenBack", "StepStarted");
  }

  @Test
  @DisplayName("given a held step, then another poll, or one without attempt id, does not get it")
  void otherPoll() {
    var story = Story.of(task("work"));
    story.does(story.offer(QUEUE, Optional.of(new UUID(1, 2))));
    assertThat(story.does(story.offer(QUEUE, Optional.of(new UUID(1, 3)))))
        .isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    var unnamed = Story.held(task("work"));
    assertThat(unnamed.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
  }

  @Test
  @DisplayName("a step is only for workers of its queue")
  void otherQueue() {
    var story = Story.of(task("work"));
    assertThat(story.does(story.offer("other", Optional.empty())))
        .isEqualTo(new ClaimTaskOutcome.NothingToDo(story.found(), story.now()));
    assertThat(story.history()).hasSize(1);
  }

  @Test
  @DisplayName("a completion takes the next step only if it is for the same queue and due")
  void wantNext() {
    var story = Story.held(task("a"), task("b"), task("c", "other", Steps.RETRY));
    var first = story.claim();
    var outcome = (CompleteTaskOutcome.Completed) story.does(story.completeAndTakeNext(first));
    var grant = outcome.run().held().orElseThrow().grant();
    assertThat(grant.after()).isEqualTo(OptionalLong.of(first.nonce()));
    assertThat(grant.fence()).isGreaterThan(first.fence());
    story.does(story.completeAndTakeNext(story.claim()));
    assertThat(story.run().held()).isEmpty();
    assertThat(story.run().queue()).contains("other");

    var waits = Story.held(task("a"), signal("approval", "go"), task("b"));
    waits.does(waits.completeAndTakeNext(waits.claim()));
    assertThat(waits.status()).isEqualTo(RunStatus.WAITING);
    assertThat(waits.run().held()).isEmpty();
  }

  @Test
  @DisplayName("a heartbeat renews the lease, but never shortens it")
  void heartbeat() {
    var story = Story.held(task("work"));
    story.later(LEASE.dividedBy(3));
    story.does(story.heartbeat(story.claim()));
    assertThat(story.run().due()).contains(story.now().plus(LEASE));
    assertThat(story.does(new HeartbeatTask(story.claim(), Optional.of(Duration.ofMillis(100)))))
        .isEqualTo(new HeartbeatOutcome.Renewed(story.run(), LEASE, Optional.empty()));
    assertThat(story.history()).hasSize(2);
  }
}
