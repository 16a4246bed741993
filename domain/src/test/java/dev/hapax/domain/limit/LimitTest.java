package dev.hapax.domain.limit;

import static dev.hapax.domain.limit.LimitedRuns.key;
import static dev.hapax.domain.limit.LimitedRuns.limit;
import static dev.hapax.domain.limit.LimitedRuns.ofInput;
import static dev.hapax.domain.limit.LimitedRuns.set;
import static dev.hapax.domain.limit.LimitedRuns.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs at a limited step. */
class LimitTest {
  private static final Definition ONE = Steps.definition(step("call", limit("api", 1)));
  private static final LimitKey ACME = key("api", "acme");

  private final LimitedRuns runs = new LimitedRuns();

  private RunId starts() {
    return runs.starts(ONE, "acme");
  }

  private RunId holds(Definition definition) {
    var run = runs.starts(definition, "acme");
    runs.takes(run);
    return run;
  }

  @Test
  @DisplayName("given a full limit, then runs wait in order, and other values of its key do not")
  @Tag("turns-L1")
  void order() {
    var two = Steps.definition(step("call", limit("api", 2)));
    var all = IntStream.range(0, 4).mapToObj(_ -> runs.starts(two, "acme")).toList();
    var other = runs.starts(two, "other");
    assertThat(runs.admitted(ACME)).containsExactly(all.get(0), all.get(1));
    assertThat(runs.waiting(ACME)).containsExactly(all.get(2), all.get(3));
    assertThat(runs.isInQueue(other)).isTrue();
    assertThat(runs.run(all.get(2)).status()).isEqualTo(RunStatus.PENDING);
    assertThat(runs.run(all.get(2)).due()).isEmpty();

    runs.takes(all.get(1));
    runs.later(Duration.ofSeconds(3)).does(runs.complete(all.get(1)));
    runs.settles();
    assertThat(runs.isInQueue(all.get(2))).isTrue();
    assertThat(runs.run(all.get(2)).due()).contains(runs.now());
    assertThat(runs.isWaiting(all.get(3))).isTrue();
    runs.does(runs.control(all.get(0), Verb.CANCEL));
    runs.settles();
    assertThat(runs.isInQueue(all.get(3))).isTrue();
  }

  @Test
  @DisplayName("given room, then a run enters the queue with its start and without an event")
  void atOnce() {
    var run = runs.run(starts());
    assertThat(run.version()).isEqualTo(1);
    assertThat(run.queue()).contains(Steps.QUEUE);
    var waits = runs.run(starts());
    assertThat(waits.version()).isEqualTo(2);
    assertThat(waits.newEvents()).isEmpty();
  }

  @Test
  @DisplayName("given a step behind another one, then the run enters it by a decision of its own")
  void nextStep() {
    var both = Steps.definition(Steps.task("first"), step("call", limit("api", 1)));
    var run = holds(both);
    runs.does(runs.complete(run));
    assertThat(runs.isInQueue(run)).isFalse();
    assertThat(runs.run(run).needsTurn(runs.now())).isTrue();
    assertThat(runs.run(run).due()).isPresent();
    runs.enters(run);
    assertThat(runs.isInQueue(run)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"fails", "waits for a retry", "completes", "is released", "sleeps", "is lost", ""})
  @DisplayName("given an attempt that ends in any way, then its slot is free")
  @Tag("turns-L4")
  void everyEnd(String end) {
    var first = holds(ONE);
    var next = starts();
    assertThat(runs.isWaiting(next)).isTrue();
    switch (end) {
      case "fails" -> runs.does(runs.fail(first, true));
      case "waits for a retry" -> runs.does(runs.fail(first, false));
      case "completes" -> runs.does(runs.complete(first));
      case "is released" -> runs.does(runs.release(first, Duration.ofSeconds(1)));
      case "sleeps" -> runs.does(runs.suspend(first, Duration.ofDays(1)));
      case "is lost" -> runs.later(Steps.LEASE).enters(first);
      default -> runs.does(runs.control(first, Verb.CANCEL));
    }
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(next);
  }

  @Test
  @DisplayName("given a retry or a release, then the run goes to the end of the line")
  @Tag("turns-L4")
  void toTheEnd() {
    var first = holds(ONE);
    var second = starts();
    var third = starts();
    runs.does(runs.fail(first, false));
    runs.settles();
    runs.later(Duration.ofMinutes(1)).enters(first);
    assertThat(runs.waiting(ACME)).containsExactly(third, first);
    assertThat(runs.isInQueue(second)).isTrue();

    runs.takes(second);
    runs.does(runs.release(second, Duration.ZERO));
    runs.settles();
    assertThat(runs.isInQueue(second)).as("released at once, it keeps its slot").isTrue();
    assertThat(runs.admitted(ACME)).containsExactly(second);
  }

  @Test
  @DisplayName("given a run that failed, then RetryRun takes it to the end of the line")
  void retryRun() {
    var first = holds(ONE);
    var second = starts();
    runs.does(runs.fail(first, true));
    runs.settles();
    var third = starts();
    runs.does(runs.retry(first));
    assertThat(runs.isInQueue(first)).isFalse();
    runs.enters(first);
    assertThat(runs.waiting(ACME)).containsExactly(third, first);
    assertThat(runs.admitted(ACME)).containsExactly(second);
  }

  @Test
  @DisplayName("given a pause, then a waiting run goes to the end, and a held one keeps its slot")
  void pause() {
    var later = Steps.definition(Steps.task("first"), step("call", limit("api", 1)));
    var all = IntStream.range(0, 3).mapToObj(_ -> holds(later)).toList();
    all.forEach(run -> runs.does(runs.complete(run)));
    all.forEach(runs::enters);
    assertThat(runs.waiting(ACME)).containsExactly(all.get(1), all.get(2));

    runs.does(runs.control(all.get(1), Verb.PAUSE));
    assertThat(runs.waiting(ACME)).containsExactly(all.get(2));
    runs.does(runs.control(all.get(1), Verb.RESUME));
    runs.enters(all.get(1));
    assertThat(runs.waiting(ACME)).containsExactly(all.get(2), all.get(1));

    runs.takes(all.getFirst());
    runs.does(runs.control(all.getFirst(), Verb.PAUSE));
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(all.getFirst());
    runs.does(runs.release(all.getFirst(), Duration.ZERO));
    runs.settles();
    assertThat(runs.admitted(ACME)).as("its worker gave it back").containsExactly(all.get(2));

    runs.does(runs.control(all.get(2), Verb.PAUSE));
    runs.settles();
    assertThat(runs.admitted(ACME)).as("paused in the queue").containsExactly(all.get(1));
  }

  @Test
  @DisplayName(
      "given two limits, then the run waits until both have room, and hints the other line")
  @Tag("turns-L3")
  void crossed() {
    var a = Steps.definition(step("a", limit("a", 1)));
    var b = Steps.definition(step("b", limit("b", 2)));
    var ab = Steps.definition(step("ab", limit("a", 1), limit("b", 2)));
    var first = runs.starts(a, "acme");
    var both = runs.starts(ab, "acme");
    var behind = runs.starts(b, "acme");
    assertThat(((RunChange.Blocked) runs.lastChange(both)).limit().orElseThrow().name())
        .isEqualTo("a");
    assertThat(runs.isWaiting(behind)).as("behind the first in line").isTrue();
    runs.does(runs.control(first, Verb.CANCEL));
    runs.settles();
    assertThat(runs.isInQueue(both)).isTrue();
    assertThat(runs.isInQueue(behind)).isTrue();
  }

  @Test
  @DisplayName("given an owner of a token that waits at a limit, then its end passes both turns")
  @Tag("turns-L3")
  void ownerWaits() {
    var token = HookId.of(Workspace.DEFAULT, "order");
    var first = starts();
    var owner = runs.queued(ONE, "acme", token);
    var next = runs.queued(ONE, "acme", token);
    runs.does(owner);
    runs.does(next);
    var waiting = run(owner);
    assertThat(runs.isWaiting(waiting)).isTrue();
    runs.does(runs.control(waiting, Verb.CANCEL));
    runs.settles();
    runs.enters(run(next));
    assertThat(runs.waiting(ACME)).containsExactly(run(next));
    assertThat(runs.get(token).orElseThrow().run()).isEqualTo(run(next));
    runs.does(runs.control(first, Verb.CANCEL));
    runs.settles();
    assertThat(runs.isInQueue(run(next))).isTrue();
  }

  private static RunId run(EnterStep<?> start) {
    return (RunId) start.newKeys().iterator().next();
  }

  @Test
  @DisplayName(
      "given a run that waits and is cancelled in the batch of its start, then others go on")
  void sameBatch() {
    var holder = runs.startRun(ONE, "acme", "{}");
    var waits = runs.startRun(ONE, "acme", "{}");
    runs.doAll(
        List.of(
            LimitedRuns.start(holder),
            LimitedRuns.start(waits),
            runs.control(holder.run(), Verb.CANCEL)));
    runs.settles();
    assertThat(runs.isInQueue(waits.run())).isTrue();
  }

  @Test
  @DisplayName("given a setting, then it comes before the number of the step, at once")
  @Tag("turns-L5")
  void setting() {
    var first = starts();
    var second = starts();
    runs.does(set(key("api", ""), OptionalInt.of(2)));
    runs.does(new AdmitRuns(ACME));
    assertThat(runs.admitted(ACME)).containsExactly(first, second);
    assertThat(runs.does(set(key("api", ""), OptionalInt.of(2))).already()).isTrue();

    runs.does(set(ACME, OptionalInt.of(1)));
    var third = starts();
    runs.does(runs.control(first, Verb.CANCEL));
    runs.settles();
    assertThat(runs.isWaiting(third)).as("the setting of the value is the closest").isTrue();
    runs.does(set(ACME, OptionalInt.empty()));
    runs.does(new AdmitRuns(ACME));
    assertThat(runs.isInQueue(third)).isTrue();
  }

  @Test
  @DisplayName("given no value at the pointer, then the run is in the line of all those")
  @Tag("turns-L9")
  void noValue() {
    var byInput = Steps.definition(step("call", ofInput("api", "/tenant", 1)));
    var inputs =
        List.of(
            "{\"tenant\":\"acme\"}", "{}", "{\"tenant\":null}", "[1]", "{\"tenant\":\"\\u0000\"}");
    var started = inputs.stream().map(input -> runs.startRun(byInput, "", input)).toList();
    started.forEach(start -> runs.does(LimitedRuns.start(start)));
    assertThat(runs.admitted(ACME)).containsExactly(started.getFirst().run());
    assertThat(runs.admitted(key("api", ""))).containsExactly(started.get(1).run());
    assertThat(runs.waiting(key("api", "")))
        .containsExactly(started.get(2).run(), started.get(3).run());
    assertThat(runs.isInQueue(started.get(4).run())).as("a text that is no name").isTrue();
  }

  @Test
  @DisplayName("given a long line, then an admission takes ten, and another one the others")
  void bound() {
    var many = Steps.definition(step("call", limit("api", 1)));
    var all = IntStream.range(0, 26).mapToObj(_ -> runs.starts(many, "acme")).toList();
    runs.does(set(ACME, OptionalInt.of(100)));
    assertThat(runs.does(new AdmitRuns(ACME)))
        .matches(admitted -> admitted.runs().size() == 10 && admitted.isUnfinished());
    runs.settles();
    assertThat(all).allMatch(runs::isInQueue);
    assertThat(runs.waiting(ACME)).isEmpty();
  }

  @Test
  @DisplayName("given a lost lease, then the run goes behind those that wait")
  @Tag("turns-L6")
  void lostLease() {
    var first = holds(ONE);
    var next = starts();
    runs.later(Steps.LEASE).enters(first);
    runs.settles();
    assertThat(runs.run(next).phase()).isInstanceOf(Phase.Ready.class);
    assertThat(runs.isWaiting(first)).as("behind the other").isTrue();
  }

  @Test
  @DisplayName("given a rate, then runs start an interval apart, in their order")
  @Tag("turns-L7")
  void rate() {
    var second = Duration.ofSeconds(1);
    var paced = Steps.definition(step("call", LimitedRuns.paced("api", 0, second)));
    var all = IntStream.range(0, 4).mapToObj(_ -> runs.starts(paced, "acme")).toList();
    var other = runs.starts(paced, "other");
    assertThat(all).filteredOn(runs::isInQueue).containsExactly(all.getFirst());
    assertThat(runs.isInQueue(other)).isTrue();
    assertThat(((RunChange.Blocked) runs.lastChange(all.get(1))).limit().orElseThrow())
        .matches(RunChange.FullLimit::isRate);
    assertThat(runs.takeHints()).as("says when").contains(new AdmitRuns(ACME));

    assertThat(runs.later(second.minusNanos(1_000)).does(new AdmitRuns(ACME)))
        .isEqualTo(new AdmitRuns.Admitted(List.of(), false, Optional.of(Duration.ofNanos(1_000))));
    var late = Duration.ofMillis(400);
    var admitted = runs.later(late).does(new AdmitRuns(ACME));
    assertThat(admitted.runs()).extracting(run -> run.id()).containsExactly(all.get(1));
    assertThat(admitted.delay())
        .as("delays do not add up")
        .contains(Duration.ofMillis(600).plusNanos(1_000));
    assertThat(runs.get(ACME.id()).orElseThrow().due())
        .contains(
            new LimitLine.Due(
                LimitedRuns.BEGINNING.plusSeconds(2),
                runs.run(all.get(2)).blocked().orElseThrow().turn()));

    runs.does(set(ACME, OptionalInt.empty(), Optional.of(new Rate(1, Duration.ofHours(1)))));
    assertThat(runs.later(Duration.ofMinutes(59)).does(new AdmitRuns(ACME)).runs()).isEmpty();
    runs.does(set(ACME, OptionalInt.empty()));
    assertThat(runs.does(new AdmitRuns(ACME)).runs()).hasSize(1);
    assertThat(runs.later(second).does(new AdmitRuns(ACME)).runs())
        .extracting(run -> run.id())
        .containsExactly(all.get(3));
  }

  @Test
  @DisplayName("given the clock of the database goes back, then the rate does not wait for it")
  @Tag("turns-L7")
  void clockBack() {
    var paced = Steps.definition(step("call", LimitedRuns.paced("api", 0, Duration.ofMinutes(1))));
    runs.starts(paced, "acme");
    var next = runs.starts(paced, "acme");
    var last = runs.starts(paced, "acme");
    runs.later(Duration.ofHours(-2)).does(new AdmitRuns(ACME));
    assertThat(runs.isInQueue(next)).isTrue();
    assertThat(runs.isWaiting(last)).as("by the new time").isTrue();
  }

  @Test
  @DisplayName("given a rate and a number, then a run waits for both")
  @Tag("turns-L7")
  void rateAndNumber() {
    var second = Duration.ofSeconds(1);
    var both = Steps.definition(step("call", LimitedRuns.paced("api", 1, second)));
    var first = holds(both);
    var next = runs.starts(both, "acme");
    assertThat(((RunChange.Blocked) runs.lastChange(next)).limit().orElseThrow().isRate())
        .isFalse();
    runs.later(second).does(new AdmitRuns(ACME));
    assertThat(runs.isWaiting(next)).isTrue();
    runs.does(runs.complete(first));
    runs.settles();
    assertThat(runs.isInQueue(next)).isTrue();
  }
}
