package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RecordStepOutcome;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.ReturnUndeliveredTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Received;
import dev.hapax.domain.run.RunReads.Recorded;
import dev.hapax.domain.run.RunReads.SignalOutput;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.TaskClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs that go through much, as commands of workers and callers make them. */
class RunHistoryReadsIT {
  private static final Definition DEFINITION =
      RunSamples.definition(
          "story",
          new StepDefinition.Task(RunSamples.work("q")),
          new StepDefinition.Signal(new SignalFilter.OfType("go"), Optional.empty()),
          new StepDefinition.Code(RunSamples.work("q")),
          new StepDefinition.Task(RunSamples.work("q")));

  private static final Failure FAILURE =
      new Failure("broken", "so it is", Optional.of(new Payload.Json("[1]")));

  private static final Json.Obj PATCH = new Json.Obj(Map.of("a", new Json.Num("1.0")));
  private static final AtomicLong NONCES = new AtomicLong();
  private static RunNodes nodes;
  private static RunReads reads;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
    reads = nodes.runs();
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static RunId started() {
    var id = RunSamples.newRun();
    nodes.run(
        new StartRun(
            id,
            DEFINITION,
            new Payload.Json("{\"n\": 1}"),
            Map.of("k", "v"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Actor.caller("ann")));
    return id;
  }

  private static TaskClaim claim(RunId id) {
    var nonce = NONCES.incrementAndGet();
    var outcome =
        nodes.run(new ClaimTask(id, "q", "worker", Optional.empty(), nonce, PrincipalName.NONE));
    return ((ClaimTaskOutcome.Claimed) outcome).run().claim().orElseThrow();
  }

  private static void complete(TaskClaim claim, List<String> consumed, OptionalLong next) {
    nodes.run(
        new CompleteTask(
            claim,
            Optional.of(new Payload.Binary(new byte[] {1, 2})),
            Optional.of(PATCH),
            consumed,
            false,
            next,
            PrincipalName.NONE));
  }

  private static void fail(TaskClaim claim, boolean isFinal) {
    nodes.run(new FailTask(claim, FAILURE, isFinal, Optional.empty(), 0, PrincipalName.NONE));
  }

  private static void steer(RunId id, Verb verb) {
    nodes.run(new ControlRun(id, verb, "because", OptionalLong.empty(), Actor.caller("bob")));
  }

  private static void signal(RunId id, String signal, String type) {
    signal(id, signal, type, Optional.empty());
  }

  private static void signal(RunId id, String signal, String type, Optional<SourceHook> hook) {
    signal(id, signal, type, hook, signal);
  }

  private static void signal(
      RunId id, String signal, String type, Optional<SourceHook> hook, String payload) {
    nodes.run(
        new SignalRun(
            new SignalId(id, signal),
            type,
            hook,
            Optional.of(new Payload.Json('"' + payload + '"')),
            Actor.caller("")));
  }

  private static void suspend(TaskClaim claim) {
    nodes.run(
        new SuspendTask(
            claim,
            Optional.empty(),
            Optional.of(new SignalFilter.OfType("wake")),
            Optional.of(PATCH),
            PrincipalName.NONE));
  }

  private static Optional<Payload> record(TaskClaim claim, String name, List<String> consumed) {
    var output = Optional.<Payload>of(new Payload.Json('"' + name + '"'));
    var outcome = nodes.run(new RecordStep(claim, name, output, consumed, PrincipalName.NONE));
    return Optional.of(((RecordStepOutcome.Recorded) outcome).output());
  }

  private static List<RunEvent> events(RunId id) {
    var page = reads.events(id, 0, 500).join();
    assertThat(page.next()).isEmpty();
    return page.items();
  }

  /** The history without a gap, and what it makes of the run, which is what is stored. */
  private static void assertTold(RunId id) {
    var stored = reads.find(id).join().orElseThrow();
    var events = events(id);
    var first = events.getFirst();
    var origin = ((RunChange.Created) first.change()).origin();
    var run = Run.created(id, DEFINITION, origin, first.actor());
    assertThat(run.newEvents()).containsExactly(first);
    for (var event : events.subList(1, events.size())) {
      assertThat(event.version()).isEqualTo(run.version() + 1);
      run = run.after(event);
    }
    assertThat(run.with(List.<RunEvent>of())).isEqualTo(stored);
    assertThat(nodes.run(RunNodes.read(id))).isEqualTo(stored);
    assertPaged(id, events);
  }

  /** Whichever event a page begins behind, also where two of them share a row. */
  private static void assertPaged(RunId id, List<RunEvent> events) {
    for (var from = 0; from < events.size(); from++) {
      for (var size = 1; size <= 3; size++) {
        var page = reads.events(id, from, size).join();
        var end = Math.min(from + size, events.size());
        assertThat(page.items()).isEqualTo(events.subList(from, end));
        assertThat(page.next())
            .isEqualTo(end < events.size() ? Optional.of((long) end) : Optional.empty());
      }
    }
  }

  @Test
  @DisplayName(
      "the end of a step shares its row with the start of the next one, and with the end of the run")
  void shared() {
    var id = started();
    complete(claim(id), List.of(), OptionalLong.empty());
    signal(id, "go", "go");
    complete(claim(id), List.of(), OptionalLong.of(NONCES.incrementAndGet()));
    complete(
        reads.find(id).join().flatMap(Run::claim).orElseThrow(), List.of(), OptionalLong.empty());
    assertTold(id);
    var rows = "SELECT count(*) FROM hapax.run_event WHERE run_id = '%s'".formatted(id.uuid());
    assertThat(Integer.parseInt(nodes.database().query(rows))).isLessThan(events(id).size() - 2);
  }

  @Test
  @DisplayName("given any history, when it is folded, then it makes the stored run")
  void fold() {
    var id = started();
    assertTold(id);
    nodes.run(new ReturnUndeliveredTask(claim(id)));
    fail(claim(id), false);
    steer(id, Verb.PAUSE);
    assertTold(id);
    steer(id, Verb.RESUME);
    suspend(claim(id));
    assertTold(id);
    signal(id, "early", "go");
    signal(id, "w", "wake");
    complete(claim(id), List.of("w"), OptionalLong.of(77));
    assertThat(reads.find(id).join().map(Run::status)).contains(RunStatus.WAITING);
    signal(id, "late", "go");
    assertTold(id);
  }

  @Test
  @DisplayName("given a run that failed, was retried and completed, then its history has all of it")
  void retried() {
    var id = started();
    var failing = claim(id);
    fail(failing, true);
    assertTold(id);
    assertThat(reads.isReopened(id, "r").join()).isFalse();
    nodes.run(new RetryRun(id, "r", "again", OptionalLong.empty(), Actor.caller("")));
    assertThat(reads.isReopened(id, "r").join()).isTrue();
    assertThat(reads.isReopened(id, "R").join()).isFalse();
    assertThat(reads.isReopened(started(), "r").join()).isFalse();
    complete(claim(id), List.of(), OptionalLong.empty());
    signal(id, "go", "go");
    var code = claim(id);
    record(code, "a", List.of());
    var next = NONCES.incrementAndGet();
    complete(code, List.of(), OptionalLong.of(next));
    var last = reads.find(id).join().flatMap(Run::claim).orElseThrow();
    assertThat(last.nonce()).isEqualTo(next);
    complete(last, List.of(), OptionalLong.empty());
    assertThat(reads.find(id).join().map(Run::status)).contains(RunStatus.COMPLETED);
    assertTold(id);
    var cancelled = started();
    steer(cancelled, Verb.CANCEL);
    assertTold(cancelled);
  }

  @Test
  @DisplayName("given claims, then the end of each is found that ended, and no other")
  void endedBy() {
    var id = started();
    var givenBack = claim(id);
    nodes.run(new ReturnUndeliveredTask(givenBack));
    var failed = claim(id);
    fail(failed, false);
    var completed = claim(id);
    assertThat(reads.endedBy(completed).join()).isEmpty();
    complete(completed, List.of(), OptionalLong.empty());

    assertThat(reads.endedBy(givenBack).join()).isEmpty();
    assertThat(reads.endedBy(failed).join().map(RunEvent::change))
        .containsInstanceOf(RunChange.RetryScheduled.class);
    assertThat(reads.endedBy(completed).join().map(RunEvent::change))
        .containsInstanceOf(RunChange.StepCompleted.class);
    var stranger = new TaskClaim(started(), 0, completed.nonce(), completed.fence());
    assertThat(reads.endedBy(stranger).join()).isEmpty();
  }

  @Test
  @DisplayName("given signals, then the inbox has the unconsumed ones in order of arrival")
  void inbox() {
    var id = started();
    assertThat(reads.inbox(id, 10).join()).isEmpty();
    signal(id, "z", "one");
    signal(id, "a", "two");
    signal(id, "m", "one");
    signal(id, "a", "duplicate");
    assertThat(reads.inbox(id, 10).join())
        .extracting(Received::signalId)
        .containsExactly("z", "a", "m");
    assertThat(reads.inbox(id, 2).join()).extracting(Received::signalId).containsExactly("z", "a");
    var first = reads.firstOf(id, new SignalFilter.OfType("two")).join().orElseThrow();
    assertThat(first)
        .isEqualTo(
            new Received(
                "a",
                "two",
                Optional.empty(),
                Optional.of(new Payload.Json("\"a\"")),
                events(id).get(2).at()));

    complete(claim(id), List.of("z"), OptionalLong.empty());
    assertThat(reads.inbox(id, 10).join()).extracting(Received::signalId).containsExactly("a", "m");
    assertThat(reads.firstOf(id, new SignalFilter.Any()).join().map(Received::signalId))
        .contains("a");
    assertThat(reads.firstOf(id, new SignalFilter.OfType("one")).join().map(Received::signalId))
        .contains("m");
    assertThat(reads.firstOf(id, new SignalFilter.OfType("three")).join()).isEmpty();
    signal(id, "n", "");
    assertThat(reads.firstOf(id, new SignalFilter.OfType("three")).join())
        .as("a signal without a type is of none")
        .isEmpty();
    assertThat(reads.firstOf(id, new SignalFilter.OfType("one")).join().map(Received::signalId))
        .contains("m");
    assertThat(reads.inbox(started(), 10).join()).isEmpty();
  }

  @Test
  @DisplayName("the oldest signal of a hook is found by its fingerprint and by its name")
  void inboxOfHook() {
    var id = started();
    var named = new SourceHook(UUID.fromString("ffffffff-ffff-ffff-8000-000000000001"), "payment");
    var nameless = new SourceHook(UUID.fromString("0fffffff-ffff-ffff-8000-000000000001"), "");
    signal(id, "direct", "one");
    signal(id, "first", "one", Optional.of(named));
    signal(id, "second", "", Optional.of(nameless));
    signal(id, "third", "two", Optional.of(named));

    assertThat(ofHook(id, new SignalFilter.OfHookName("payment"))).contains("first");
    assertThat(ofHook(id, new SignalFilter.OfHookName("payment", Optional.of("two"))))
        .contains("third");
    assertThat(ofHook(id, new SignalFilter.OfHook(named.fingerprint()))).contains("first");
    assertThat(ofHook(id, new SignalFilter.OfHook(nameless.fingerprint()))).contains("second");
    assertThat(ofHook(id, new SignalFilter.OfHookName("shipment"))).isEmpty();
    assertThat(ofHook(id, new SignalFilter.OfHook(new HookFingerprint("0".repeat(16))))).isEmpty();
    assertThat(reads.inbox(id, 10).join())
        .extracting(Received::hook)
        .containsExactly(
            Optional.empty(), Optional.of(named), Optional.of(nameless), Optional.of(named));

    complete(claim(id), List.of("first"), OptionalLong.empty());
    assertThat(ofHook(id, new SignalFilter.OfHookName("payment"))).contains("third");
    assertTold(id);
  }

  @Test
  @DisplayName(
      "given a resumed step, then the signal that resumed it is found until it is consumed")
  void wakingSignal() {
    var id = started();
    assertThat(reads.wakingSignal(id, 0).join()).isEmpty();
    suspend(claim(id));
    signal(id, "other", "other");
    signal(id, "waking", "wake");
    assertThat(reads.wakingSignal(id, 0).join().map(Received::signalId)).contains("waking");
    assertThat(reads.wakingSignal(id, 1).join()).isEmpty();
    assertThat(reads.wakingSignal(started(), 0).join()).isEmpty();
    complete(claim(id), List.of("waking"), OptionalLong.empty());
    assertThat(reads.wakingSignal(id, 0).join()).isEmpty();
    assertTold(id);
  }

  private static Optional<String> ofHook(RunId id, SignalFilter filter) {
    return reads.firstOf(id, filter).join().map(Received::signalId);
  }

  @Test
  @DisplayName("given signal steps, then their outputs are found by their indexes")
  void signalOutputs() {
    var id = started();
    complete(claim(id), List.of(), OptionalLong.empty());
    signal(id, "yes", "go");
    var code = claim(id);
    var yes = new SignalOutput(1, Optional.of(new Payload.Json("\"yes\"")));
    assertThat(reads.signalOutputs(id, List.of(1)).join()).containsExactly(yes);
    complete(code, List.of(), OptionalLong.empty());
    complete(claim(id), List.of(), OptionalLong.empty());
    assertThat(reads.find(id).join().map(Run::status)).contains(RunStatus.COMPLETED);
    assertThat(reads.signalOutputs(id, List.of(1)).join()).containsExactly(yes);
    assertThat(reads.signalOutputs(id, List.of(0, 1)).join()).contains(yes);
    assertThat(reads.signalOutputs(started(), List.of(1)).join()).isEmpty();
  }

  @Test
  @DisplayName("given large outputs of many runs, then each is read whole")
  void largeSignalOutputs() {
    var large = "x".repeat(Payload.MAX_BYTES - 2);
    var ids = Stream.generate(RunHistoryReadsIT::started).limit(20).toList();
    for (var id : ids) {
      complete(claim(id), List.of(), OptionalLong.empty());
      signal(id, "yes", "go", Optional.empty(), large);
    }
    var asked = ids.stream().map(id -> reads.signalOutputs(id, List.of(1))).toList();

    var output = new SignalOutput(1, Optional.of(new Payload.Json('"' + large + '"')));
    assertThat(asked).allSatisfy(read -> assertThat(read.join()).containsExactly(output));
  }

  @Test
  @DisplayName("given recorded steps, then they are loaded with their outputs, and listed in order")
  void recorded() {
    var id = started();
    complete(claim(id), List.of(), OptionalLong.empty());
    signal(id, "go", "go");
    signal(id, "s", "data");
    var code = claim(id);
    record(code, "b", List.of("s"));
    record(code, "a", List.of());
    var version = events(id).getLast().version();
    var first = new Recorded("b", version - 1, new Payload.Json("\"b\""), PartTraits.NONE);
    var second = new Recorded("a", version, new Payload.Json("\"a\""), PartTraits.NONE);
    assertThat(reads.parts(id, 2).join().recorded().items()).containsExactly(first, second);
    assertThat(reads.recorded(id, 2, version - 1).join().items()).containsExactly(second);
    assertThat(reads.recorded(id, 1, 0).join().items()).isEmpty();

    var step = nodes.run(RunNodes.read(new PartId(id, 2, "a")));
    assertThat(step)
        .isEqualTo(
            new Part.Completed(version, code.nonce(), new Payload.Json("\"a\""), PartTraits.NONE));
    assertThat(
            nodes.run(new RecordStep(code, "a", Optional.empty(), List.of(), PrincipalName.NONE)))
        .isEqualTo(new RecordStepOutcome.Recorded(new Payload.Json("\"a\""), true));
    assertThat(
            nodes.run(new RecordStep(code, "c", Optional.empty(), List.of(), PrincipalName.NONE)))
        .isEqualTo(new RecordStepOutcome.NotRecorded());
    assertTold(id);
  }
}
