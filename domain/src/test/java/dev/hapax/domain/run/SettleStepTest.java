package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.QUEUE;
import static dev.hapax.domain.definition.Steps.code;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.RunChange.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Operators settle what no worker can know. */
class SettleStepTest {
  private static final Payload RECEIPT = new Payload.Json("{\"receipt\":7}");
  private static final Json.Obj PATCH = new Json.Obj(Map.of("paid", new Json.Bool(true)));
  private static final Verdict COMPLETE =
      new Verdict.Complete(Optional.of(RECEIPT), Optional.of(PATCH));
  private static final Failure REFUSED = new Failure("REFUSED", "bank", Optional.empty());
  private static final Verdict FAIL = new Verdict.Fail(REFUSED);
  private static final Verdict REPEAT = new Verdict.Repeat();

  private Story story;

  /** The worker paid, then went silent; the lease expired in the last attempt. */
  @BeforeEach
  void silentWorker() {
    var once = new RetryPolicy(1, Duration.ofSeconds(1), 1, Duration.ofSeconds(1), Set.of());
    story = Story.held(task("pay", QUEUE, once), task("ship"));
    story.later(LEASE).does(story.advance());
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
  }

  /** Every settlement is one event with its evidence and its operator. */
  private static void requireSettled(Story story, SettleStep settle) {
    var expected =
        new RunChange.StepSettled(
            settle.part(), recorded(settle), settle.requestId(), settle.reason());
    var before = story.run().version();
    assertThat(story.does(settle))
        .isInstanceOfSatisfying(
            ControlOutcome.Applied.class, applied -> assertThat(applied.already()).isFalse());
    var event = story.history().get(Math.toIntExact(before));
    assertThat(event.change()).isEqualTo(expected);
    assertThat(event.actor()).isEqualTo(Story.BY);
  }

  /** A failure is of what is settled. */
  private static Verdict recorded(SettleStep settle) {
    return settle.verdict() instanceof Verdict.Fail(var failure)
        ? new Verdict.Fail(of(failure, settle.part().orElse("")))
        : settle.verdict();
  }

  private static Failure of(Failure failure, String part) {
    return new Failure(failure.code(), failure.message(), failure.details(), part, failure.stack());
  }

  private static String obstacle(Story story, SettleStep settle) {
    var before = story.records();
    var outcome = story.does(settle);
    assertThat(outcome).isInstanceOf(ControlOutcome.NotSettleable.class);
    assertThat(story.records()).isEqualTo(before);
    return ((ControlOutcome.NotSettleable) outcome).why();
  }

  private static PartResult result(Story story, PartReport report) {
    var outcome = story.does(story.report(story.claim(), report));
    assertThat(outcome).isInstanceOf(RecordPartsOutcome.Stored.class);
    return ((RecordPartsOutcome.Stored) outcome).results().getFirst();
  }

  // the step of a failed run

  @Test
  @DisplayName("complete: the step has the output, the run continues [workflows-P14]")
  void complete() {
    requireSettled(story, story.settle(COMPLETE));
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(story.run().output()).contains(RECEIPT);
    assertThat(story.run().state()).isEqualTo(PATCH);
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.COMPLETED, StepStatus.PENDING);
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("skip: the step has no output, the run continues [workflows-P14]")
  void skip() {
    requireSettled(story, story.settle(new Verdict.Skip()));
    assertThat(story.run().output()).isEmpty();
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.SKIPPED, StepStatus.PENDING);
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("fail: the run stays FAILED, with the failure of the operator [workflows-P14]")
  void fail() {
    requireSettled(story, story.settle(FAIL));
    assertThat(story.run().phase()).isEqualTo(new Phase.Failed(story.now(), REFUSED));
    requireSettled(story, story.settle(COMPLETE));
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  @DisplayName("the failure of a step names no part, whatever the operator says")
  void failNamesNoPart() {
    story.does(story.settle(new Verdict.Fail(of(REFUSED, "pay"))));
    assertThat(story.run().phase()).isEqualTo(new Phase.Failed(story.now(), REFUSED));
  }

  @Test
  @DisplayName("repeat: the step is attempted again, with a new budget [workflows-P14]")
  void repeat() {
    requireSettled(story, story.settle(REPEAT));
    story.take();
    assertThat(story.run().position().attempt()).isEqualTo(2);
    story.does(story.complete(story.claim()));
    assertThat(story.run().position().step()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given a settled step, then the late completion of its worker has lost its claim "
          + "[workflows-P14]")
  void lateCompletion() {
    var late = story.claim();
    for (var verdict : List.of(COMPLETE, new Verdict.Skip(), FAIL, REPEAT)) {
      silentWorker();
      story.does(story.settle(verdict));
      var before = story.records();
      assertThat(story.does(story.complete(late))).isInstanceOf(TaskLost.class);
      assertThat(story.records()).isEqualTo(before);
    }
    silentWorker();
    story.does(story.settle(COMPLETE));
    assertThat(((TaskLost) story.does(story.complete(story.claim()))).reason())
        .isEqualTo(TaskLost.Reason.ENDED);
  }

  @Test
  @DisplayName("given it is the last step, then the run is completed by it")
  void lastStep() {
    var last = Story.held(task("pay"));
    last.does(last.failFinally(last.claim()));
    requireSettled(last, last.settle(COMPLETE));
    assertThat(last.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(last.does(last.settle(COMPLETE))).isInstanceOf(ControlOutcome.NotAllowed.class);
  }

  @Test
  @DisplayName("a signal step that timed out is settled as well")
  void signalStep() {
    var waiting = Story.of(signal("approval", "go", LEASE), task("ship"));
    waiting.later(LEASE).does(waiting.advance());
    requireSettled(waiting, waiting.settle(COMPLETE));
    assertThat(waiting.take().step()).isEqualTo(1);
  }

  @Test
  @Tag("P7")
  @DisplayName("given it is settled twice, then the run continues once [workflows-P12]")
  void twice() {
    story.does(story.settle(COMPLETE));
    obstacle(story, settlement("pay", Optional.empty(), COMPLETE));
    assertThat(story.run().position().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("a step that is not the current one cannot be settled")
  void otherStep() {
    assertThat(obstacle(story, settlement("ship", Optional.empty(), COMPLETE)))
        .isEqualTo("it is not the current step");
  }

  @Test
  @Tag("P7")
  @DisplayName("given another version than the expected one, then nothing changes")
  void moved() {
    var before = story.run();
    var old = OptionalLong.of(before.version() - 1);
    assertThat(story.does(story.settle(Optional.empty(), COMPLETE, old)))
        .isEqualTo(new ControlOutcome.Moved(before));
    assertThat(story.run()).isEqualTo(before);
  }

  @Test
  @DisplayName("given the state would be too large, then nothing changes")
  void tooLarge() {
    var before = story.records();
    var large = new Json.Obj(Map.of("text", new Json.Str("x".repeat(Run.MAX_STATE))));
    var verdict = new Verdict.Complete(Optional.empty(), Optional.of(large));
    assertThat(story.does(story.settle(verdict))).isEqualTo(new ControlOutcome.StateTooLarge());
    assertThat(story.records()).isEqualTo(before);
  }

  private static SettleStep settlement(String step, Optional<String> part, Verdict verdict) {
    return new SettleStep(
        Story.ID, step, part, verdict, "request", "ticket 81", OptionalLong.empty(), Story.BY);
  }

  // parts

  /** The worker was killed in the body of "pay"; the next one ended the run. */
  private static Story inDoubt() {
    var story = Story.held(code("body"));
    result(story, Story.begin("pay"));
    story.later(LEASE).take();
    story.does(story.failFinally(story.claim(), "pay"));
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
    return story;
  }

  @Test
  @Tag("P8")
  @DisplayName(
      "complete: the part is recorded with the output, the code continues once [workflows-P12]")
  void completePart() {
    var doubtful = inDoubt();
    requireSettled(doubtful, doubtful.settle("pay", COMPLETE));
    assertThat(doubtful.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(doubtful.run().state()).isEqualTo(PATCH);
    assertThat(obstacle(doubtful, doubtful.settle("pay", COMPLETE)))
        .isEqualTo("the part is recorded, or has not begun");
    doubtful.take();
    assertThat(result(doubtful, Story.begin("pay")))
        .isEqualTo(new PartResult.Recorded(RECEIPT, true));
    doubtful.does(doubtful.complete(doubtful.claim()));
    assertThat(doubtful.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given no output, then the part is recorded with null, also in the history")
  void completeWithoutOutput() {
    var doubtful = inDoubt();
    var nothing = new Verdict.Complete(Optional.empty(), Optional.empty());
    assertThat(doubtful.does(doubtful.settle("pay", nothing)))
        .isInstanceOf(ControlOutcome.Applied.class);
    var recorded = new Payload.Json("null");
    assertThat(doubtful.part("pay"))
        .isEqualTo(new Part.Completed(doubtful.run().version(), 0, recorded, PartTraits.NONE));
    assertThat(doubtful.lastChange())
        .isEqualTo(
            new RunChange.StepSettled(
                Optional.of("pay"),
                new Verdict.Complete(Optional.of(recorded), Optional.empty()),
                "request",
                "ticket 81"));
  }

  @Test
  @DisplayName("fail: the code gets the failure of the operator")
  void failPart() {
    var doubtful = inDoubt();
    requireSettled(doubtful, doubtful.settle("pay", FAIL));
    doubtful.take();
    assertThat(result(doubtful, Story.begin("pay")))
        .isEqualTo(new PartResult.Failed(of(REFUSED, "pay"), 1, Optional.empty()));
  }

  @Test
  @DisplayName("repeat: the body runs again, with a new budget")
  void repeatPart() {
    var doubtful = inDoubt();
    requireSettled(doubtful, doubtful.settle("pay", REPEAT));
    doubtful.take();
    assertThat(result(doubtful, Story.begin("pay")))
        .isEqualTo(new PartResult.Begun(new PartId(Story.ID, 0, "pay"), false));
    assertThat(((Part.Open) doubtful.part("pay")).attempts()).isEqualTo(1);
  }

  @Test
  @Tag("P9")
  @DisplayName("given a worker holds the step, then nothing is settled [workflows-P17]")
  void liveHolder() {
    var held = Story.held(code("body"));
    result(held, Story.begin("pay"));
    var lease = held.run().held().orElseThrow().leaseUntil();
    var why = "worker \"worker-1000\" holds the step until " + lease;
    for (var verdict : List.of(COMPLETE, FAIL, REPEAT)) {
      assertThat(obstacle(held, held.settle("pay", verdict))).isEqualTo(why);
      assertThat(obstacle(held, held.settle(verdict))).isEqualTo(why);
    }
    held.does(held.complete(held.claim()));
    assertThat(held.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given a part that waits for its retry, then repeat makes it due at once")
  void dueNow() {
    var paused = Story.held(code("body"));
    result(paused, Story.failing("llm", 1));
    paused.does(paused.suspend(paused.claim(), Duration.ofHours(1)));
    assertThat(paused.status()).isEqualTo(RunStatus.WAITING);
    requireSettled(paused, paused.settle("llm", REPEAT));
    assertThat(paused.part("llm"))
        .isEqualTo(
            new Part.Retrying(
                paused.run().version(), 0, 0, Optional.empty(), paused.now(), Part.NONE));
    paused.take();
    assertThat(result(paused, Story.output("llm"))).isInstanceOf(PartResult.Recorded.class);
  }

  @Test
  @DisplayName("a settlement renews the attempts of the code step")
  void progress() {
    var killed = Story.held(code("body"));
    result(killed, Story.begin("pay"));
    for (var i = 0; i < 2; i++) {
      killed.later(LEASE).take();
    }
    killed.does(killed.suspend(killed.claim(), LEASE));
    killed.does(killed.settle("pay", COMPLETE));
    killed.take();
    assertThat(killed.run().position().attempt()).isEqualTo(4);
    assertThat(killed.run().position().allowed()).isEqualTo(6);
  }

  @Test
  @Tag("P9")
  @DisplayName("a part that failed is settled only if it failed the run")
  void caught() {
    var other = Story.held(code("body"));
    result(other, Story.failingForGood("caught", 1));
    result(other, Story.failingForGood("pay", 1));
    other.does(other.failFinally(other.claim(), "pay"));
    assertThat(obstacle(other, other.settle("caught", COMPLETE)))
        .isEqualTo("the code has handled the failure of the part");
    requireSettled(other, other.settle("pay", COMPLETE));
  }

  @Test
  @DisplayName("given a run that failed otherwise, then it stays FAILED after a part is settled")
  void besides() {
    var failed = Story.held(code("body"));
    result(failed, Story.begin("pay"));
    failed.does(failed.failFinally(failed.claim()));
    var phase = failed.run().phase();
    requireSettled(failed, failed.settle("pay", COMPLETE));
    assertThat(failed.run().phase()).isEqualTo(phase);
    failed.does(failed.retry());
    failed.take();
    assertThat(result(failed, Story.begin("pay")))
        .isEqualTo(new PartResult.Recorded(RECEIPT, true));
  }
}
