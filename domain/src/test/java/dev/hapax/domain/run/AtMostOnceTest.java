package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.QUEUE;
import static dev.hapax.domain.definition.Steps.RETRY;
import static dev.hapax.domain.definition.Steps.atMostOnce;
import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.RunChange.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Task steps that run at most once: a silent worker leaves a doubt, not another attempt. */
class AtMostOnceTest {
  private static final Failure REFUSED = new Failure("REFUSED", "bank", Optional.empty());
  private static final Verdict COMPLETE =
      new Verdict.Complete(Optional.of(new Payload.Json("7")), Optional.empty());

  private static final Optional<UUID> POLL = Optional.of(new UUID(0, 1));

  private Story story;
  private TaskClaim claim;

  /** The worker is silent for three leases, and the server and other workers look for work. */
  @BeforeEach
  void silentWorker() {
    story = Story.held(atMostOnce("pay", RETRY), task("ship"));
    claim = story.claim();
    for (var lease = 0; lease < 3; lease++) {
      story.later(LEASE).does(story.advance());
      assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    }
  }

  @Test
  @DisplayName(
      "given a silent worker, then the step is in doubt, and nothing is due [workflows-P15]")
  void inDoubt() {
    assertThat(story.lastChange()).isEqualTo(new RunChange.LeaseLost(true, false));
    assertThat(story.run().phase()).isInstanceOf(Phase.InDoubt.class);
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(story.run().due()).isEmpty();
    assertThat(story.run().held()).isEmpty();
    assertThat(story.tale()).containsExactly("Created", "StepStarted", "LeaseLost");
  }

  @Test
  @DisplayName("the late completion counts [workflows-P15]")
  void lateCompletion() {
    assertThat(story.does(story.complete(claim))).isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("a renewal ends the doubt, and the next silence is a doubt again [workflows-P15]")
  void renewed() {
    assertThat(story.does(story.heartbeat(claim)))
        .isEqualTo(new HeartbeatOutcome.Renewed(story.run(), LEASE, Optional.empty()));
    assertThat(story.run().held()).isPresent();
    assertThat(story.does(story.settle(COMPLETE))).isInstanceOf(ControlOutcome.NotSettleable.class);
    story.later(LEASE).does(story.advance());
    assertThat(story.run().phase()).isInstanceOf(Phase.InDoubt.class);
  }

  @Test
  @DisplayName("a failure that the worker reports means no effect: the step is retried")
  void reportedFailure() {
    story.does(story.fail(claim));
    assertThat(story.lastChange()).isInstanceOf(RunChange.RetryScheduled.class);
    story.later(Duration.ofMinutes(1));
    assertThat(story.take()).isNotEqualTo(claim);
  }

  @Test
  @DisplayName("settled as complete: the run continues, and the late holder has lost its claim")
  void complete() {
    story.does(story.settle(COMPLETE));
    assertThat(story.run().output()).contains(new Payload.Json("7"));
    assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class);
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("settled as skipped: the step has no output, the run continues")
  void skip() {
    story.does(story.settle(new Verdict.Skip()));
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.SKIPPED, StepStatus.PENDING);
    assertThat(story.run().output()).isEmpty();
  }

  @Test
  @DisplayName("settled as failed: the run fails with the failure of the operator")
  void fail() {
    story.does(story.settle(new Verdict.Fail(REFUSED)));
    assertThat(story.run().phase()).isEqualTo(new Phase.Failed(story.now(), REFUSED));
    assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class);
  }

  @Test
  @DisplayName("settled as to be repeated: another worker gets it, with a new budget")
  void repeat() {
    story.does(story.settle(new Verdict.Repeat()));
    assertThat(story.does(story.complete(claim))).isInstanceOf(TaskLost.class);
    assertThat(story.take()).isNotEqualTo(claim);
    assertThat(story.run().position().attempt()).isEqualTo(2);
    assertThat(story.run().position().allowed()).isEqualTo(1 + RETRY.maxAttempts());
  }

  @Test
  @DisplayName("given a paused run, then a settlement counts, and the run stays paused")
  void paused() {
    story.does(story.control(Verb.PAUSE));
    story.does(story.settle(COMPLETE));
    assertThat(story.status()).isEqualTo(RunStatus.PAUSED);
    story.does(story.control(Verb.RESUME));
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("the retry of the poll that got the step gets it again, and ends the doubt")
  void redelivered() {
    var polled = Story.of(atMostOnce("pay", RETRY));
    polled.does(polled.offer(QUEUE, POLL));
    polled.later(LEASE).does(polled.advance());
    assertThat(polled.does(polled.offer(QUEUE, POLL))).isInstanceOf(ClaimTaskOutcome.Claimed.class);
    assertThat(polled.run().held()).isPresent();
    assertThat(polled.run().position().attempt()).isEqualTo(1);
  }
}
