package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.hookSignal;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The inbox of a run. */
class SignalsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final SourceHook PAYMENT = new SourceHook(new UUID(1, 2), "payment");
  private static final SourceHook NAMELESS = new SourceHook(new UUID(3, 4), "");

  private static boolean isConsumed(Story story, String id) {
    return story.get(Story.signalId(id)).orElseThrow().consumed();
  }

  @Test
  @DisplayName("an id counts once as long as the run is kept, also after it was consumed [H6]")
  void once() {
    var story = Story.of(signal("approval", "go"), signal("another", "go"));
    assertThat(story.delivers(story.signal("s1", "go"))).isTrue();
    var before = story.records();
    assertThat(story.disposition(story.signal("s1", "go"))).isEqualTo(SignalDisposition.DUPLICATE);
    assertThat(story.disposition(story.signal("s1", "stop")))
        .isEqualTo(SignalDisposition.DUPLICATE);
    assertThat(story.records()).isEqualTo(before);
    story.does(story.signal("s2", "go"));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.disposition(story.signal("s1", "go"))).isEqualTo(SignalDisposition.DUPLICATE);
    assertThat(story.does(story.signal("s3", "go")))
        .isEqualTo(new SignalOutcome.RunEnded(RunStatus.COMPLETED));
  }

  @Test
  @DisplayName("signals that arrive before their step are consumed in order of arrival [H6]")
  void inOrder() {
    var story = Story.of(signal("a", "go"), signal("b", "go"), signal("c", "go"));
    story.does(story.control(Verb.PAUSE));
    List.of("s3", "s1", "s2").forEach(id -> story.does(story.signal(id, "go")));
    story.does(story.control(Verb.RESUME));
    for (var id : List.of("s3", "s1", "s2")) {
      assertThat(isConsumed(story, id)).isFalse();
      story.does(story.match());
      assertThat(isConsumed(story, id)).isTrue();
      assertThat(story.run().output()).contains(Story.payload(id));
    }
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().inbox()).isEqualTo(new Inbox(3, 0));
  }

  @Test
  @DisplayName("given an unchecked inbox, then a newer signal does not overtake older ones")
  void notOvertaken() {
    var story = Story.held(task("a"), signal("b", "go"));
    story.does(story.signal("old", "go"));
    story.does(story.complete(story.claim()));
    var match = story.match();
    assertThat(story.delivers(story.signal("new", "go"))).isFalse();
    // the inbox has changed since it was searched
    var before = story.records();
    story.does(match);
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.run().due()).contains(Instant.EPOCH);
    story.does(story.match());
    assertThat(story.run().output()).contains(Story.payload("old"));
    assertThat(isConsumed(story, "new")).isFalse();
  }

  @Test
  @DisplayName(
      "given an unchecked inbox, then a timeout does not overtake a signal that arrived in time")
  void timeoutDoesNotOvertake() {
    var story = Story.held(task("a"), signal("b", "go", HOUR));
    story.does(story.signal("s1", "go"));
    story.does(story.complete(story.claim()));
    story.later(HOUR);
    story.does(story.advance());
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    story.does(story.match());
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given an inbox without a match, then it is searched once, and the timeout applies")
  void nothingFound() {
    var story = Story.held(task("a"), signal("b", "go", HOUR));
    story.does(story.signal("s1", "stop"));
    story.does(story.complete(story.claim()));
    story.does(story.match());
    assertThat(story.run().due()).contains(story.now().plus(HOUR));
    story.does(story.signal("s2", "stop"));
    assertThat(story.run().due()).contains(story.now().plus(HOUR));
    story.later(HOUR);
    story.does(story.advance());
    assertThat(story.status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @DisplayName("given a late match, then it does not resume a run that waits for another signal")
  void lateSift() {
    var story = Story.held(task("a"), signal("b", "go"), signal("c", "go"));
    story.does(story.signal("s1", "go"));
    story.does(story.complete(story.claim()));
    var match = story.match();
    story.does(match);
    assertThat(story.run().position().step()).isEqualTo(2);
    story.does(match);
    assertThat(story.run().position().step()).isEqualTo(2);
    assertThat(story.run().inbox().unconsumed()).isZero();
  }

  @ParameterizedTest
  @DisplayName("a filter of a type takes no signal without a type; one of any signal takes all")
  @CsvSource({"go, go, true", "go, stop, false", "'', stop, true", "go, '', false", "'', '', true"})
  void types(String awaited, String type, boolean matches) {
    var waits = Story.of(signal("a", awaited));
    waits.does(waits.signal("s1", type));
    assertThat(waits.status() == RunStatus.COMPLETED).isEqualTo(matches);
    var suspended = Story.held(task("a"));
    suspended.does(suspended.suspendFor(suspended.claim(), awaited));
    suspended.does(suspended.signal("s1", type));
    assertThat(suspended.status()).isEqualTo(matches ? RunStatus.RUNNING : RunStatus.WAITING);
  }

  static Stream<Arguments> hooks() {
    var byName = new SignalFilter.OfHookName("payment");
    var byBoth = new SignalFilter.OfHookName("payment", Optional.of("stop"));
    var byOtherType = new SignalFilter.OfHookName("payment", Optional.of("go"));
    var byFingerprint = new SignalFilter.OfHook(NAMELESS.fingerprint());
    var any = new SignalFilter.Any();
    var none = Optional.<SourceHook>empty();
    return Stream.of(
        Arguments.of(byName, Optional.of(PAYMENT), true),
        Arguments.of(byName, Optional.of(NAMELESS), false),
        Arguments.of(byName, none, false),
        Arguments.of(byBoth, Optional.of(PAYMENT), true),
        Arguments.of(byBoth, Optional.of(NAMELESS), false),
        Arguments.of(byBoth, none, false),
        Arguments.of(byOtherType, Optional.of(PAYMENT), false),
        Arguments.of(byFingerprint, Optional.of(NAMELESS), true),
        Arguments.of(byFingerprint, Optional.of(PAYMENT), false),
        Arguments.of(byFingerprint, none, false),
        Arguments.of(any, Optional.of(PAYMENT), true),
        Arguments.of(any, none, true),
        Arguments.of(new SignalFilter.OfType("go"), Optional.of(PAYMENT), false));
  }

  @ParameterizedTest
  @DisplayName(
      "a step that waits for the signals of a hook gets them, whatever their type, only them")
  @MethodSource
  void hooks(SignalFilter filter, Optional<SourceHook> hook, boolean matches) {
    var story = Story.held(task("a"));
    story.does(story.suspendFor(story.claim(), filter));
    assertThat(story.delivers(story.signal("s1", "stop", hook))).isEqualTo(matches);
    assertThat(story.status()).isEqualTo(matches ? RunStatus.RUNNING : RunStatus.WAITING);
    assertThat(story.get(Story.signalId("s1")).orElseThrow().hook()).isEqualTo(hook);
  }

  @Test
  @DisplayName("a signal step that waits for a hook takes the oldest signal of that hook")
  void hookStep() {
    var story = Story.held(task("a"), hookSignal("paid", "payment"), signal("rest", ""));
    story.does(story.signal("other", "", Optional.empty()));
    story.does(story.signal("first", "paid", Optional.of(PAYMENT)));
    story.does(story.signal("second", "", Optional.of(PAYMENT)));
    story.does(story.complete(story.claim()));
    story.does(story.match());
    assertThat(story.run().position().step()).isEqualTo(2);
    assertThat(story.run().output()).contains(Story.payload("first"));
    assertThat(isConsumed(story, "first")).isTrue();
    assertThat(isConsumed(story, "other")).isFalse();
    assertThat(isConsumed(story, "second")).isFalse();
  }

  @Test
  @DisplayName(
      "a delivery to a suspended step consumes no signal, so the next attempt gets it again")
  void deliveredNotConsumed() {
    var story = Story.held(task("a"));
    story.does(story.suspendFor(story.claim(), "go"));
    story.does(story.signal("s1", "go"));
    story.take();
    assertThat(isConsumed(story, "s1")).isFalse();
    story.does(story.fail(story.claim()));
    story.later(HOUR).take();
    assertThat(isConsumed(story, "s1")).isFalse();
    story.does(story.complete(story.claim(), Optional.empty(), List.of("s1")));
    assertThat(isConsumed(story, "s1")).isTrue();
    assertThat(story.run().inbox()).isEqualTo(new Inbox(1, 0));
  }

  @Test
  @DisplayName("a signal that is named twice is consumed once")
  void namedTwice() {
    var story = Story.held(task("a"), task("b"));
    story.does(story.signal("s1", "go"));
    story.does(story.signal("s2", "go"));
    story.does(story.complete(story.claim(), Optional.empty(), List.of("s1", "s1")));
    assertThat(story.run().inbox()).isEqualTo(new Inbox(2, 1));
    assertThat(isConsumed(story, "s2")).isFalse();
  }

  @Test
  @DisplayName("a signal that was consumed before may be consumed again without effect")
  void namedAgain() {
    var story = Story.held(task("a"));
    story.does(story.signal("s1", "go"));
    story.does(story.signal("s2", "go"));
    story.does(story.record(story.claim(), "first", "s1", "s1"));
    assertThat(story.run().inbox().unconsumed()).isEqualTo(1);
    story.does(story.record(story.claim(), "second", "s1"));
    assertThat(story.run().inbox().unconsumed()).isEqualTo(1);
    story.does(story.complete(story.claim(), Optional.empty(), List.of("s1", "s2")));
    assertThat(story.run().inbox().unconsumed()).isZero();
  }

  @Test
  @DisplayName("given an unknown signal id, then nothing changes and the step stays held")
  void unknown() {
    var story = Story.held(task("a"));
    story.does(story.signal("s1", "go"));
    var before = story.records();
    assertThat(story.does(story.complete(story.claim(), Optional.empty(), List.of("s1", "other"))))
        .isEqualTo(new CompleteTaskOutcome.NoSuchSignal("other"));
    assertThat(story.does(story.record(story.claim(), "part", "other")))
        .isEqualTo(new PartsRefused.NoSuchSignal(0, "other"));
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.run().held()).isPresent();
  }

  @Test
  @DisplayName("a lost claim consumes nothing")
  void lostClaim() {
    var story = Story.held(task("a"));
    story.does(story.signal("s1", "go"));
    var claim = story.claim();
    story.does(new ReturnUndeliveredTask(claim));
    var before = story.records();
    story.does(story.complete(claim, Optional.empty(), List.of("s1")));
    story.does(story.record(claim, "part", "s1"));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("1,000 signals may be unconsumed; one that is consumed at once needs no room")
  void fullInbox() {
    var story = Story.held(task("a"), signal("b", "go"));
    IntStream.range(0, 1_000).forEach(i -> story.does(story.signal("s" + i, "stop")));
    var before = story.records();
    assertThat(story.does(story.signal("more", "go"))).isEqualTo(new SignalOutcome.Full(true));
    assertThat(story.disposition(story.signal("s7", "stop")))
        .isEqualTo(SignalDisposition.DUPLICATE);
    assertThat(story.records()).isEqualTo(before);
    story.does(story.complete(story.claim()));
    story.does(story.match());
    assertThat(story.does(story.signal("more", "stop"))).isEqualTo(new SignalOutcome.Full(true));
    story.does(story.signal("answer", "go"));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("a full inbox has room again when one is consumed")
  void roomAgain() {
    var story = Story.held(task("a"));
    IntStream.range(0, 1_000).forEach(i -> story.does(story.signal("s" + i, "go")));
    story.does(story.record(story.claim(), "part", "s0"));
    assertThat(story.does(story.signal("more", "go"))).isInstanceOf(SignalOutcome.Accepted.class);
    assertThat(story.does(story.signal("more still", "go")))
        .isEqualTo(new SignalOutcome.Full(true));
  }

  @Test
  @DisplayName("at 50,000 events signals and named steps are rejected, at 49,999 they are not")
  void fullHistory() {
    var held = Story.held(task("a"), task("b"));
    for (var version : new long[] {Run.MAX_EVENTS - 1, Run.MAX_EVENTS, Run.MAX_EVENTS + 7}) {
      var isFull = version >= Run.MAX_EVENTS;
      assertThat(late(held.run(), version).decide(held.signal("s1", "go")))
          .matches(outcome -> outcome.equals(new SignalOutcome.Full(false)) == isFull);
      assertThat(late(held.run(), version).decide(held.record(held.claim(), "part")))
          .matches(outcome -> outcome instanceof PartsRefused.TooManyEvents == isFull);
      assertThat(late(held.run(), version).decide(held.ask(held.claim(), "part")))
          .isEqualTo(new RecordStepOutcome.NotRecorded());
    }
  }

  @ParameterizedTest
  @DisplayName("completions, failures, timers, pause, resume and cancel are always accepted")
  @ValueSource(longs = {Run.MAX_EVENTS, Run.MAX_EVENTS + 100})
  void alwaysPass(long version) {
    var held = Story.held(task("a"), task("b"));
    var claim = held.claim();
    for (var command :
        List.<Command<?>>of(
            held.complete(claim),
            held.completeAndTakeNext(claim),
            held.skip(claim),
            held.fail(claim),
            held.failFinally(claim),
            held.suspend(claim, HOUR),
            new ReturnUndeliveredTask(claim),
            held.control(Verb.PAUSE),
            held.control(Verb.CANCEL))) {
      var batch = late(held.run(), version);
      var _ = batch.decide(command);
      assertThat(batch.changes().values())
          .singleElement()
          .extracting(Batch.Change::after)
          .isInstanceOfSatisfying(
              Run.class, after -> assertThat(after.version()).isGreaterThan(version));
    }
  }

  @ParameterizedTest
  @DisplayName(
      "in a full history a release or return counts as an attempt; one event earlier it does not")
  @ValueSource(longs = {Run.MAX_EVENTS - 1, Run.MAX_EVENTS, Run.MAX_EVENTS + 7})
  void releaseOfFullHistory(long version) {
    var held = Story.held(task("a"), task("b"));
    var attempts = version < Run.MAX_EVENTS ? 0 : 1;
    for (var command :
        List.<Command<?>>of(
            new ReleaseTask(held.claim(), HOUR, PrincipalName.NONE),
            new ReturnUndeliveredTask(held.claim(), HOUR))) {
      var released = after(command, held.run(), version);
      assertThat(released.phase())
          .isEqualTo(new Phase.Ready(Story.BEGINNING.plus(HOUR), 1 + attempts));
      assertThat(released.newEvents()).singleElement().matches(event -> event.change().isRelease());
    }
  }

  @Test
  @DisplayName("in a full history the release of the last attempt fails the run")
  void lastReleaseOfFullHistory() {
    var held = Story.held(task("a"), task("b"));
    held.does(held.fail(held.claim()));
    held.later(HOUR).take();
    held.does(held.fail(held.claim()));
    held.later(HOUR).take();
    for (var command :
        List.<Command<?>>of(
            new ReleaseTask(held.claim(), HOUR, PrincipalName.NONE),
            new ReturnUndeliveredTask(held.claim()))) {
      var failed = after(command, held.run(), Run.MAX_EVENTS);
      assertThat(failed.phase())
          .isInstanceOfSatisfying(
              Phase.Failed.class,
              phase -> assertThat(phase.failure().code()).isEqualTo("EVENT_LIMIT"));
      assertThat(after(command, held.run(), Run.MAX_EVENTS - 1).phase())
          .isInstanceOf(Phase.Ready.class);
    }
  }

  private static Run after(Command<?> command, Run run, long version) {
    var batch = late(run, version);
    var _ = batch.decide(command);
    var change = Objects.requireNonNull(batch.changes().get(run.id()));
    return (Run) Objects.requireNonNull(change.after());
  }

  /** As if the run already had this many events. */
  private static Batch late(Run run, long version) {
    return new Batch(Map.of(run.id(), Histories.at(run, version)), Story.BEGINNING);
  }
}
