package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.RETRY;
import static dev.hapax.domain.definition.Steps.code;
import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of parts: their own budgets, the doubt of those that run at most once. */
class PartRetryTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final PartResult.Recorded RECORDED = new PartResult.Recorded(Story.OUTPUT, false);

  private static PartResult result(Story story, PartReport report) {
    return results(story, report).getFirst();
  }

  private static List<PartResult> results(Story story, PartReport... reports) {
    var outcome = story.does(story.report(story.claim(), reports));
    assertThat(outcome).isInstanceOf(RecordPartsOutcome.Stored.class);
    return ((RecordPartsOutcome.Stored) outcome).results();
  }

  private static PartResult.Failed failure(Story story, PartReport report) {
    return (PartResult.Failed) result(story, report);
  }

  private static RetryPolicy attempts(int most) {
    return new RetryPolicy(most, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), Set.of());
  }

  private static RetryPolicy unlimited(Duration giveUpAfter) {
    return new RetryPolicy(
        RetryPolicy.UNLIMITED,
        Duration.ofSeconds(1),
        2,
        Duration.ofMinutes(1),
        Set.of(),
        Set.of(),
        Optional.of(giveUpAfter));
  }

  private static PartReport failing(int attempt, String code, RetryPolicy retry, Duration pause) {
    return Story.report(
        "llm",
        new PartReport.Failing(
            attempt,
            new Failure(code, "", Optional.empty()),
            false,
            Optional.of(retry),
            Optional.of(pause)));
  }

  private static Part.Open open(Story story, String name) {
    return (Part.Open) story.part(name);
  }

  /** Another worker takes the step from one that was killed. */
  private static Story afterKill(Story story) {
    story.later(LEASE).take();
    return story;
  }

  // the budget of the code step

  @Test
  @Tag("P12")
  @DisplayName(
      "given two failures, a wait and two failures, then three attempts suffice [workflows-P2]")
  void waitIsProgress() {
    var story = Story.held(code("body"));
    story.does(story.fail(story.claim()));
    story.later(LONG).take();
    story.does(story.fail(story.claim()));
    story.later(LONG).take();
    story.does(story.suspend(story.claim(), LONG));
    story.later(LONG).take();
    story.does(story.fail(story.claim()));
    story.later(LONG).take();
    story.does(story.fail(story.claim()));
    story.later(LONG).take();
    story.does(story.complete(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @Tag("P12")
  @DisplayName("a recorded part renews the attempts of its code step [workflows-P2]")
  void recordIsProgress() {
    var story = Story.held(code("body"));
    for (var i = 0; i < 10; i++) {
      story.does(story.record(story.claim(), "part " + i));
      story.does(story.fail(story.claim()));
      story.later(LONG).take();
    }
    assertThat(story.run().position().attempt()).isEqualTo(11);
    story.does(story.complete(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @ParameterizedTest
  @DisplayName(
      "a part that is known, begun or failed is no progress: three attempts, then the run fails")
  @ValueSource(strings = {"known", "begun", "failed"})
  void noProgress(String what) {
    var story = Story.held(code("body"));
    story.does(story.record(story.claim(), "known"));
    for (var i = 0; i < 3; i++) {
      story.does(story.fail(story.claim()));
      story.later(LONG).take();
      result(
          story,
          switch (what) {
            case "known" -> Story.output("known");
            case "begun" -> Story.begin("pay " + i);
            default -> Story.failing("llm", i + 1);
          });
    }
    story.does(story.fail(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @DisplayName("given unlimited attempts, then a code step is retried without end")
  void unlimitedStep() {
    var story = Story.held(code("body", attempts(RetryPolicy.UNLIMITED), RetryPolicy.OF_PARTS));
    for (var i = 0; i < 50; i++) {
      story.does(story.fail(story.claim()));
      story.later(LONG).take();
      afterKill(story);
    }
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
  }

  // the budget of a part

  @Test
  @DisplayName("without a policy of its own, a part has 8 attempts [workflows-P1]")
  void usualPolicy() {
    for (var story : List.of(Story.held(code("body")), Story.held(task("work")))) {
      for (var attempt = 1; attempt < 8; attempt++) {
        var next = failure(story, Story.failing("llm", attempt)).next().orElseThrow();
        // jitter 0.5 of 1 s, 2 s ... 60 s
        assertThat(next.in()).isEqualTo(Duration.ofMillis(500L * Math.min(60, 1 << (attempt - 1))));
        assertThat(next.at()).isEqualTo(story.now().plus(next.in()));
      }
      assertThat(failure(story, Story.failing("llm", 8)))
          .isEqualTo(new PartResult.Failed(Story.FAILURE, 8, Optional.empty()));
      assertThat(story.part("llm")).isInstanceOf(Part.Failed.class);
      assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
    }
  }

  @Test
  @DisplayName(
      "the policy of the code step holds for parts that bring none, from failure to failure")
  void policies() {
    var story = Story.held(code("body", RETRY, attempts(2)));
    assertThat(failure(story, Story.failing("llm", 1)).next()).isPresent();
    assertThat(failure(story, Story.failing("llm", 2, attempts(4))).next()).isPresent();
    assertThat(failure(story, Story.failing("llm", 3, attempts(3))).next()).isEmpty();
    assertThat(failure(story, Story.failing("other", 1)).next()).isPresent();
    assertThat(failure(story, Story.failing("other", 2)).next()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a worker that is killed, then the next one continues the count [workflows-P4]")
  void countContinues() {
    var story = Story.held(code("body"));
    failure(story, Story.failing("llm", 1));
    failure(story, Story.failing("llm", 2));
    afterKill(story);
    assertThat(open(story, "llm").attempts()).isEqualTo(2);
    var before = story.records();
    assertThat(failure(story, Story.failing("llm", 1)).attempts())
        .as("a count in the memory of the worker is refused by the stored one")
        .isEqualTo(2);
    assertThat(story.records()).isEqualTo(before);
    assertThat(failure(story, Story.failing("llm", 3)).attempts()).isEqualTo(3);
    for (var attempt = 4; attempt < 8; attempt++) {
      afterKill(story);
      // another part renews the attempts of the code step
      assertThat(failure(story, Story.failing("llm", attempt)).next()).isPresent();
      story.does(story.record(story.claim(), "part " + attempt));
    }
    assertThat(failure(story, Story.failing("llm", 8)).next()).isEmpty();
  }

  @Test
  @DisplayName("two parts have a budget each: six attempts of three and three [workflows-P5]")
  void ownBudgets() {
    var story = Story.held(code("body", RETRY, attempts(3)));
    for (var attempt = 1; attempt < 3; attempt++) {
      var both = results(story, Story.failing("a", attempt), Story.failing("b", attempt));
      assertThat(both)
          .allSatisfy(each -> assertThat(((PartResult.Failed) each).next()).isPresent());
    }
    assertThat(failure(story, Story.failing("a", 3)).next()).isEmpty();
    assertThat(open(story, "b").attempts()).isEqualTo(2);
    assertThat(result(story, Story.output("b"))).isEqualTo(RECORDED);
  }

  @ParameterizedTest
  @DisplayName(
      "given give_up_after 2 s and no other limit, then the part fails after 2 s [workflows-P6]")
  @ValueSource(doubles = {0.01, 0.3, 0.5, 0.99})
  void giveUp(double jitter) {
    var story = Story.held(code("body"));
    var begin = story.now();
    PartResult.Failed last;
    var attempt = 0;
    do {
      attempt++;
      var report = Story.failing("llm", attempt, unlimited(Duration.ofSeconds(2)));
      var parts = new ReportedParts(List.of(report), Optional.empty(), jitter);
      var stored =
          (RecordPartsOutcome.Stored)
              story.does(new RecordParts(story.claim(), parts, PrincipalName.NONE));
      last = (PartResult.Failed) stored.results().getFirst();
      last.next().ifPresent(next -> story.later(next.in()));
    } while (last.next().isPresent());
    assertThat(attempt).isGreaterThan(1);
    assertThat(Duration.between(begin, story.now())).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  @DisplayName("the time to give up begins with the first failure, not with the part")
  void giveUpBegins() {
    var story = Story.held(code("body"));
    result(story, Story.begin("llm"));
    story.later(Duration.ofSeconds(20));
    var policy = unlimited(Duration.ofSeconds(10));
    assertThat(failure(story, Story.failing("llm", 1, policy)).next()).isPresent();
    story.later(Duration.ofSeconds(5));
    result(story, Story.begin("llm"));
    assertThat(failure(story, Story.failing("llm", 2, policy)).next()).isPresent();
    story.later(Duration.ofSeconds(5));
    assertThat(failure(story, Story.failing("llm", 3, policy)).next()).isEmpty();
  }

  @Test
  @DisplayName(
      "the pause that the worker requests replaces the policy's, within its time limit [workflows-P8]")
  void retryAfter() {
    var story = Story.held(code("body"));
    var pause = Duration.ofSeconds(30);
    var minute = unlimited(Duration.ofMinutes(1));
    assertThat(failure(story, failing(1, "BUSY", attempts(3), pause)).next())
        .contains(new PartResult.Next(story.now().plus(pause), pause));
    assertThat(failure(story, failing(2, "BUSY", minute, pause)).next()).isPresent();
    story.later(pause);
    assertThat(failure(story, failing(3, "BUSY", minute, pause)).next()).isPresent();
    assertThat(failure(story, failing(4, "BUSY", minute, pause.plusNanos(1))).next()).isEmpty();
  }

  @ParameterizedTest
  @DisplayName("retry_only and non_retryable select the failures that are retried")
  @CsvSource({"FLAKY, true", "FATAL, false", "OTHER, false"})
  void codes(String code, boolean isRetried) {
    var story = Story.held(code("body"));
    var policy =
        new RetryPolicy(
            3,
            Duration.ofSeconds(1),
            2,
            Duration.ofSeconds(1),
            Set.of("FATAL"),
            Set.of("FLAKY", "FATAL"),
            Optional.empty());
    var failed = failure(story, failing(1, code, policy, Duration.ofSeconds(1)));
    assertThat(failed.next().isPresent()).isEqualTo(isRetried);
  }

  @Test
  @Tag("P4")
  @DisplayName(
      "a FINAL failure is kept: code that catches it does so again in later executions "
          + "[workflows-P7]")
  void finalFailure() {
    var story = Story.held(code("body"));
    var failed = new PartResult.Failed(Story.FAILURE, 1, Optional.empty());
    assertThat(result(story, Story.failingForGood("pay", 1))).isEqualTo(failed);
    afterKill(story);
    var before = story.records();
    for (var report : List.of(Story.output("pay"), Story.begin("pay"), Story.failing("pay", 2))) {
      assertThat(result(story, report)).isEqualTo(failed);
    }
    assertThat(story.does(story.record(story.claim(), "pay")))
        .isEqualTo(new RecordStepOutcome.InDoubt(Optional.of(Story.FAILURE)));
    assertThat(story.records()).isEqualTo(before);
    story.does(story.complete(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @Tag("P4")
  @DisplayName("RetryRun reopens the part that failed the run, with a new budget [workflows-P10]")
  void retryReopens() {
    var story = Story.held(code("body", RETRY, attempts(2)));
    story.does(story.record(story.claim(), "before"));
    result(story, Story.failingForGood("caught", 1));
    failure(story, Story.failing("pay", 1));
    failure(story, Story.failing("pay", 2));
    story.does(story.failFinally(story.claim(), "pay"));
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);

    story.does(story.retry());

    assertThat(story.part("pay"))
        .isEqualTo(
            new Part.Retrying(
                story.run().version(), 0, 0, Optional.empty(), story.now(), Part.NONE));
    assertThat(story.part("caught")).isInstanceOf(Part.Failed.class);
    story.take();
    assertThat(result(story, Story.output("before")))
        .isEqualTo(new PartResult.Recorded(Story.OUTPUT, true));
    assertThat(failure(story, Story.failing("caught", 1)).next()).isEmpty();
    assertThat(failure(story, Story.failing("pay", 1)).next()).isPresent();
    assertThat(result(story, Story.output("pay"))).isEqualTo(RECORDED);
  }

  @Test
  @Tag("P4")
  @DisplayName("RetryRun of another failure reopens no part [workflows-P10]")
  void retryKeepsCaught() {
    var story = Story.held(code("body"));
    result(story, Story.failingForGood("caught", 1));
    story.does(story.failFinally(story.claim()));
    var failed = story.part("caught");
    story.does(story.retry());
    assertThat(story.part("caught")).isEqualTo(failed);
  }

  // at most once

  @Test
  @DisplayName("a part begins once: a repeated call by the same grant may run the body")
  void beginAgain() {
    var story = Story.held(code("body"));
    var begun = new PartResult.Begun(new PartId(Story.ID, 0, "pay"), false);
    assertThat(result(story, Story.begin("pay"))).isEqualTo(begun);
    assertThat(story.part("pay"))
        .isEqualTo(
            new Part.Begun(story.run().version(), story.claim().nonce(), 1, Optional.empty()));
    assertThat(result(story, Story.begin("pay"))).isEqualTo(begun);
    assertThat(story.tale()).containsExactly("Created", "StepStarted", "PartBegun");
    assertThat(result(story, Story.output("pay"))).isEqualTo(RECORDED);
  }

  @Test
  @Tag("P5")
  @Tag("P6")
  @DisplayName(
      "given another grant began it, then the effect is in doubt; its run ends, and RetryRun "
          + "does not run the body [workflows-P11]")
  void inDoubt() {
    var story = Story.held(code("body"));
    result(story, Story.begin("pay"));
    afterKill(story);
    var doubt = new PartResult.Begun(new PartId(Story.ID, 0, "pay"), true);
    assertThat(result(story, Story.begin("pay"))).isEqualTo(doubt);
    assertThat(story.does(story.ask(story.claim(), "pay")))
        .isEqualTo(new RecordStepOutcome.InDoubt(Optional.empty()));
    var unknown = new Failure(FailTask.UNKNOWN_EFFECT, "", Optional.empty(), "pay", "");
    story.does(
        new FailTask(story.claim(), unknown, true, Optional.empty(), 0.5, PrincipalName.NONE));
    assertThat(((Phase.Failed) story.run().phase()).isInDoubt()).isTrue();
    story.does(story.retry());
    story.take();
    assertThat(result(story, Story.begin("pay"))).isEqualTo(doubt);
  }

  @Test
  @Tag("P6")
  @DisplayName("a value that verify found is recorded; the body ran once [workflows-P13]")
  void verified() {
    var story = Story.held(code("body"));
    result(story, Story.begin("pay"));
    afterKill(story);
    assertThat(result(story, Story.output("pay"))).isEqualTo(RECORDED);
    assertThat(result(story, Story.begin("pay")))
        .isEqualTo(new PartResult.Recorded(Story.OUTPUT, true));
  }

  @Test
  @DisplayName("a failure that the body reports ends the doubt: the next attempt begins again")
  void failedBody() {
    var story = Story.held(code("body", RETRY, attempts(2)));
    result(story, Story.begin("pay"));
    assertThat(failure(story, Story.failing("pay", 1)).next()).isPresent();
    afterKill(story);
    assertThat(result(story, Story.begin("pay")))
        .isEqualTo(new PartResult.Begun(new PartId(Story.ID, 0, "pay"), false));
    assertThat(open(story, "pay").attempts()).isEqualTo(2);
    assertThat(failure(story, Story.failing("pay", 2)).next()).isEmpty();
  }

  // calls that come twice or too late

  @Test
  @Tag("P3")
  @DisplayName("a failure is counted once, by claim, name and attempt")
  void countedOnce() {
    var story = Story.held(code("body"));
    var first = failure(story, Story.failing("llm", 1));
    var before = story.records();
    assertThat(failure(story, Story.failing("llm", 1))).isEqualTo(first);
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.does(story.report(story.claim(), Story.failing("llm", 3))))
        .isEqualTo(new PartsRefused.OtherAttempt(0, 2));
    assertThat(story.records()).isEqualTo(before);
    afterKill(story);
    assertThat(failure(story, Story.failing("llm", 2)).attempts()).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "given a lost claim, then a report that it sent is answered as before; a new one is not")
  void sentAgain() {
    var story = Story.held(code("body"));
    var first = story.claim();
    var output = story.report(first, Story.output("a"), Story.failing("b", 1));
    var failed =
        (PartResult.Failed) results(story, Story.output("a"), Story.failing("b", 1)).get(1);
    afterKill(story);
    var before = story.records();
    assertThat(((RecordPartsOutcome.Stored) story.does(output)).results())
        .containsExactly(new PartResult.Recorded(Story.OUTPUT, true), due(failed));
    for (var report :
        List.of(Story.failing("b", 2), Story.output("b"), Story.begin("b"), Story.output("c"))) {
      assertThat(story.does(story.report(first, report))).isInstanceOf(TaskLost.class);
      assertThat(story.does(story.report(first, Story.output("a"), report)))
          .isInstanceOf(TaskLost.class);
    }
    assertThat(story.records()).isEqualTo(before);
  }

  /** The same failure; the next attempt has become due meanwhile. */
  private static PartResult due(PartResult.Failed failed) {
    return new PartResult.Failed(
        failed.failure(),
        failed.attempts(),
        failed.next().map(next -> new PartResult.Next(next.at(), Duration.ZERO)));
  }

  @Test
  @Tag("P6")
  @DisplayName(
      "given the lease expires between begin and output, then the next worker is in doubt, and "
          + "the first one has lost its claim [workflows-P11]")
  void lateOutput() {
    var story = Story.held(code("body"));
    var first = story.claim();
    result(story, Story.begin("pay"));
    afterKill(story);
    assertThat(story.does(story.report(first, Story.begin("pay"))))
        .as("the body must not begin under a lost claim")
        .isInstanceOf(TaskLost.class);
    assertThat(story.does(story.report(first, Story.output("pay")))).isInstanceOf(TaskLost.class);
    assertThat(result(story, Story.begin("pay")))
        .isEqualTo(new PartResult.Begun(new PartId(Story.ID, 0, "pay"), true));
  }

  @Test
  @DisplayName("given the run is cancelled, then a failure of a part comes too late")
  void cancelled() {
    var story = Story.held(code("body"));
    story.does(story.control(Verb.CANCEL));
    var before = story.records();
    assertThat(story.does(story.report(story.claim(), Story.failing("llm", 1))))
        .isInstanceOfSatisfying(
            TaskLost.class,
            lost -> assertThat(lost.reason()).isEqualTo(TaskLost.Reason.RUN_CANCELLED));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given a part is reopened, then an older execution cannot record it any more")
  void reopened() {
    var story = Story.held(code("body"));
    var first = story.claim();
    result(story, Story.failingForGood("pay", 1));
    story.does(story.failFinally(first, "pay"));
    story.does(story.retry());
    var before = story.records();
    for (var report : List.of(Story.output("pay"), Story.begin("pay"), Story.failing("pay", 1))) {
      assertThat(story.does(story.report(first, report))).isInstanceOf(TaskLost.class);
    }
    assertThat(story.records()).isEqualTo(before);
  }

  // limits

  @Test
  @DisplayName("an attempt counts from 1, a pause is bounded, and so is the time of a body")
  void limits() {
    assertThatThrownBy(() -> Story.failing("llm", 0)).isInstanceOf(InvalidValueException.class);
    for (var bad : List.of(Duration.ZERO, Duration.ofDays(31))) {
      assertThatThrownBy(() -> failing(1, "", attempts(1), bad))
          .isInstanceOf(InvalidValueException.class);
    }
    assertThat(PartReport.requireElapsed(Duration.ZERO)).isZero();
    assertThat(PartReport.requireElapsed(Duration.ofHours(24))).isEqualTo(Duration.ofHours(24));
    for (var bad : List.of(Duration.ofNanos(-1), Duration.ofHours(24).plusNanos(1))) {
      assertThatThrownBy(() -> PartReport.requireElapsed(bad))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("how long a body ran, its attempt and its stack are in the history [workflows-P9]")
  void history() {
    var story = Story.held(code("body"));
    var elapsed = Optional.of(Duration.ofMillis(1_200));
    var traits = new PartTraits(true, false);
    result(
        story,
        new PartReport("llm", new PartReport.Output(Story.OUTPUT, List.of()), elapsed, traits));
    assertThat(story.lastChange())
        .isEqualTo(
            new RunChange.StepRecorded(
                "llm", Story.OUTPUT, List.of(), Optional.empty(), elapsed, traits));
    var failure = new Failure("DECLINED", "no", Optional.empty(), "", "at bank.py:7");
    result(
        story,
        Story.report(
            "pay", new PartReport.Failing(1, failure, true, Optional.empty(), Optional.empty())));
    assertThat(story.lastChange())
        .isEqualTo(new RunChange.PartFailed("pay", 1, failure, Optional.<Instant>empty()));
  }
}
