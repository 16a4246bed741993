package dev.hapax.testkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.Page;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Deadlines;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunReads.Due;
import dev.hapax.domain.run.RunReads.OpenPart;
import dev.hapax.domain.run.RunReads.Parts;
import dev.hapax.domain.run.RunReads.Queue;
import dev.hapax.domain.run.RunReads.Received;
import dev.hapax.domain.run.RunReads.Recorded;
import dev.hapax.domain.run.RunReads.SignalOutput;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.Signal;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.StepPosition;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.testkit.read.ReadsContract;
import dev.hapax.testkit.read.WriteRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link RunReads} finds. */
public abstract class RunReadsContract extends ReadsContract {
  private static final Fence FENCE = new Fence(1);
  private static final Actor WORKER = new Actor("worker", 7, new PrincipalName("api-key:billing"));
  private static final Payload PAYLOAD = new Payload.Json("{\"a\":1}");
  private static final UUID POLL = new UUID(3, 4);
  private static final Optional<Duration> ALWAYS = Optional.empty();

  private final Set<DefinitionId> registered = new HashSet<>();
  private int drawn;

  /** Of what {@link #ledger} keeps. */
  protected abstract RunReads runs();

  private Definition definition(Workspace of, String name, String queue) {
    var work = new StepDefinition.Work(queue, Duration.ofSeconds(30), RetryPolicy.DEFAULT);
    var definition =
        new Definition(
            new DefinitionId(of, name, "1"),
            List.of(new StepDefinition("work", new StepDefinition.Task(work))),
            now);
    if (registered.add(definition.id())) {
      write(definition.id(), definition);
    }
    return definition;
  }

  /** Its id is newer than that of each run before it. */
  private RunId newId(Workspace of) {
    var high = (now.toEpochMilli() << 16) | 0x7000L | ++drawn;
    return new RunId(of, new UUID(high, Long.MIN_VALUE | drawn));
  }

  private Run run(Definition definition, Map<String, String> labels, Phase phase) {
    return run(definition, labels, phase, Deadlines.NONE);
  }

  private Run run(
      Definition definition, Map<String, String> labels, Phase phase, Deadlines deadlines) {
    var origin =
        new RunOrigin(new RunParameters(PAYLOAD, labels), now.plusSeconds(drawn), now, now);
    return new Run(
        newId(definition.id().workspace()),
        definition,
        origin,
        1,
        new StepPosition(0, 1, 3, FENCE),
        phase,
        Json.Obj.EMPTY,
        Optional.empty(),
        new Inbox(0, 0),
        0,
        new HookTokens(Optional.empty(), Optional.empty(), false, Duration.ZERO),
        Optional.of(now),
        deadlines,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private Run run(Phase phase, Duration untilDeadline) {
    var deadlines = new Deadlines(Optional.empty(), Optional.of(now.plus(untilDeadline)));
    return run(definition(workspace, "one", "q"), Map.of(), phase, deadlines);
  }

  private Run run(Phase phase) {
    return run(definition(workspace, "one", "q"), Map.of(), phase);
  }

  /** Writes a run that had these changes; the first event is its creation. */
  private Run written(Run run, RunEvent... later) {
    var created = new RunChange.Created(run.origin());
    var first = new RunEvent(1, run.origin().createdAt(), Actor.SERVER, 0, 0, created);
    write(run.id(), run.with(Stream.concat(Stream.of(first), Stream.of(later)).toList()));
    return run;
  }

  private RunEvent event(long version, int step, Actor by, RunChange change) {
    return new RunEvent(version, now.plusSeconds(version), by, step, 1, change);
  }

  private Phase.Ready ready(Duration ago) {
    return new Phase.Ready(now.minus(ago), 1);
  }

  private Phase.Held held(Optional<UUID> poll) {
    var grant = new TaskGrant(7, FENCE, "worker", poll, OptionalLong.empty());
    return new Phase.Held(grant, now.plusSeconds(600));
  }

  private static Phase.Waiting waiting(Instant until) {
    return new Phase.Waiting(Optional.of(until), Optional.empty(), false);
  }

  @Test
  @DisplayName("given a run, when it is read by its id, then it is found in its workspace only")
  void find() {
    var run = written(run(ready(Duration.ZERO)));
    assertThat(await(runs().find(run.id()))).contains(run);
    assertThat(await(runs().find(new RunId(elsewhere, run.id().uuid())))).isEmpty();
    assertThat(await(runs().find(newId(workspace)))).isEmpty();
  }

  @Test
  @DisplayName("given a key, when it is read, then it leads to its run, in its workspace only")
  void keyed() {
    var id = newId(workspace);
    var key = RunKeyId.of(workspace, "key");
    write(key, new RunKey(id, Fingerprint.of(new byte[] {1}), now.plusSeconds(60)));
    assertThat(await(runs().keyed(key))).contains(id);
    assertThat(await(runs().keyed(RunKeyId.of(workspace, "other")))).isEmpty();
    assertThat(await(runs().keyed(RunKeyId.of(elsewhere, "key")))).isEmpty();
  }

  /** Oldest first, of two definitions, in every phase. */
  private List<Run> samples() {
    var failure = new Failure("code", "message", Optional.empty());
    var phases =
        List.<Phase>of(
            ready(Duration.ZERO),
            held(Optional.empty()),
            new Phase.InDoubt(held(Optional.empty())),
            waiting(now),
            new Phase.Paused(ready(Duration.ZERO)),
            new Phase.Completed(now),
            new Phase.Failed(now.plusSeconds(1), failure),
            new Phase.Cancelled(now.plusSeconds(2), "why"));
    var samples = new ArrayList<Run>();
    for (var i = 0; i < 2 * phases.size(); i++) {
      var name = i % 3 == 0 ? "one" : "two";
      var labels = i % 2 == 0 ? Map.of("a", "1", "b", "2") : Map.of("a", "2");
      samples.add(
          written(run(definition(workspace, name, "q"), labels, phases.get(i % phases.size()))));
    }
    written(run(definition(elsewhere, "one", "q"), Map.of("a", "1"), ready(Duration.ZERO)));
    return samples;
  }

  private List<RunFilter> filters() {
    var some = new TimeRange(Optional.of(now.plusSeconds(2)), Optional.of(now.plusSeconds(9)));
    var filters = new ArrayList<RunFilter>();
    filters.add(RunFilter.ALL);
    Stream.of(RunStatus.values())
        .map(status -> RunFilter.of(Set.of(status), TimeRange.ALL))
        .forEach(filters::add);
    filters.add(RunFilter.of(Set.of(RunStatus.RUNNING, RunStatus.FAILED), TimeRange.ALL));
    filters.add(RunFilter.of(Set.of(), some));
    filters.add(RunFilter.inDoubt(TimeRange.ALL));
    filters.add(RunFilter.inDoubt(some));
    filters.add(filter(Set.of("two"), Map.of(), Optional.empty(), TimeRange.ALL));
    filters.add(filter(Set.of(), Map.of("a", "1"), Optional.empty(), TimeRange.ALL));
    filters.add(filter(Set.of("one"), Map.of("a", "1", "b", "2"), Optional.empty(), some));
    filters.add(filter(Set.of(), Map.of("a", "3"), Optional.empty(), TimeRange.ALL));
    filters.add(filter(Set.of(), Map.of(), Optional.of("code"), TimeRange.ALL));
    filters.add(filter(Set.of(), Map.of(), Optional.of("other"), TimeRange.ALL));
    filters.add(
        filter(
            Set.of(),
            Map.of(),
            Optional.empty(),
            new TimeRange(Optional.of(now.plusSeconds(1)), Optional.of(now.plusSeconds(2)))));
    return filters;
  }

  private static RunFilter filter(
      Set<String> definitions,
      Map<String, String> labels,
      Optional<String> failureCode,
      TimeRange ended) {
    return new RunFilter(Set.of(), definitions, labels, failureCode, false, TimeRange.ALL, ended);
  }

  @Test
  @DisplayName("given runs in every status, when they are listed, then those that match come")
  void list() {
    var newestFirst = samples().reversed();
    for (var filter : filters()) {
      var expected = newestFirst.stream().filter(filter::matches).toList();
      for (var size : List.of(1, 3, 50)) {
        assertThat(pages(size, (Optional<UUID> after) -> list(filter, size, after)))
            .as("%s by %d", filter, size)
            .isEqualTo(expected);
      }
    }
  }

  private CompletableFuture<Page<Run, UUID>> list(
      RunFilter filter, int size, Optional<UUID> after) {
    return runs().list(new RunReads.Query(workspace, filter, size, after));
  }

  @Test
  @DisplayName("given a history, when it is read in pages, then each event comes once and in order")
  void events() {
    var changes =
        List.of(
            new RunChange.StepStarted(Optional.of(held(Optional.empty()).grant())),
            new RunChange.Paused("why"),
            new RunChange.Resumed("because"),
            new RunChange.LeaseLost(false, false));
    var later = new ArrayList<RunEvent>();
    for (var change : changes) {
      later.add(event(2L + later.size(), 0, WORKER, change));
    }
    var run = written(run(ready(Duration.ZERO)), later.toArray(RunEvent[]::new));
    var all = await(runs().events(run.id(), 0, 50)).items();
    assertThat(all.getFirst().change()).isEqualTo(new RunChange.Created(run.origin()));
    assertThat(all.subList(1, all.size())).isEqualTo(later);
    for (var size : List.of(1, 2, 5)) {
      assertThat(
              pages(
                  size, (Optional<Long> after) -> runs().events(run.id(), after.orElse(0L), size)))
          .isEqualTo(all);
    }
    assertThat(await(runs().events(run.id(), 3, 50)).items()).isEqualTo(all.subList(3, 5));
    assertThat(await(runs().events(run.id(), 5, 50)).items()).isEmpty();
    assertThat(await(runs().events(newId(workspace), 0, 50)).items()).isEmpty();
  }

  @Test
  @DisplayName("given a claim that ended, when its end is read, then it is found by nonce and step")
  void endedBy() {
    var completed =
        event(
            3,
            0,
            WORKER,
            new RunChange.StepCompleted(Optional.of(PAYLOAD), Optional.empty(), List.of(), false));
    var started =
        event(2, 0, WORKER, new RunChange.StepStarted(Optional.of(held(Optional.empty()).grant())));
    var run = written(run(ready(Duration.ZERO)), started, completed);
    assertThat(await(runs().endedBy(new TaskClaim(run.id(), 0, 7, FENCE)))).contains(completed);
    assertThat(await(runs().endedBy(new TaskClaim(run.id(), 0, 8, FENCE)))).isEmpty();
    assertThat(await(runs().endedBy(new TaskClaim(run.id(), 1, 7, FENCE)))).isEmpty();
    assertThat(await(runs().endedBy(new TaskClaim(newId(workspace), 0, 7, FENCE)))).isEmpty();
  }

  @Test
  @DisplayName("given a retry or settlement, when it is read by its request id, then it is found")
  void isReopened() {
    var retried = event(2, 0, WORKER, new RunChange.Retried("request", "why"));
    var settled =
        new RunChange.StepSettled(
            Optional.of("pay"), new RunChange.Verdict.Repeat(), "settlement", "ticket 81");
    var run = written(run(ready(Duration.ZERO)), retried, event(3, 0, Actor.SERVER, settled));
    assertThat(await(runs().isReopened(run.id(), "request"))).isTrue();
    assertThat(await(runs().isReopened(run.id(), "settlement"))).isTrue();
    assertThat(await(runs().isReopened(run.id(), "other"))).isFalse();
    assertThat(await(runs().isReopened(newId(workspace), "request"))).isFalse();
  }

  private RunEvent received(long version, String id, String type, Optional<SourceHook> hook) {
    return event(
        version, 0, WORKER, new RunChange.SignalReceived(id, type, hook, Optional.of(PAYLOAD)));
  }

  /** Writes a signal that is in the history of the run as this event. */
  private Received kept(Run run, RunEvent event, boolean consumed) {
    var change = (RunChange.SignalReceived) event.change();
    write(
        new SignalId(run.id(), change.signalId()),
        new Signal(event.version(), change.type(), change.hook(), consumed));
    return new Received(
        change.signalId(), change.type(), change.hook(), change.payload(), event.at());
  }

  @Test
  @DisplayName("given signals, when the inbox is read, then the unconsumed ones come in order")
  void inbox() {
    var source = new SourceHook(new UUID(5, 6), "name");
    var consumed = received(2, "consumed", "type", Optional.empty());
    var typed = received(3, "typed", "type", Optional.empty());
    var hooked = received(4, "hooked", "other", Optional.of(source));
    var run =
        written(
            run(ready(Duration.ZERO)),
            consumed,
            typed,
            hooked,
            event(5, 1, Actor.SERVER, new RunChange.StepResumed(Optional.of("typed"))),
            event(6, 1, Actor.SERVER, new RunChange.StepResumed(Optional.of("hooked"))),
            event(7, 2, Actor.SERVER, new RunChange.StepResumed(Optional.of("consumed"))));
    kept(run, consumed, true);
    var first = kept(run, typed, false);
    var second = kept(run, hooked, false);
    var id = run.id();

    assertThat(await(runs().inbox(id, 10))).containsExactly(first, second);
    assertThat(await(runs().inbox(id, 1))).containsExactly(first);
    assertThat(await(runs().inbox(newId(workspace), 10))).isEmpty();

    assertThat(await(runs().wakingSignal(id, 0))).isEmpty();
    assertThat(await(runs().wakingSignal(id, 1))).contains(second);
    assertThat(await(runs().wakingSignal(id, 2))).as("it is consumed").isEmpty();

    assertThat(await(runs().firstOf(id, new SignalFilter.Any()))).contains(first);
    assertThat(await(runs().firstOf(id, new SignalFilter.OfType("other")))).contains(second);
    assertThat(await(runs().firstOf(id, new SignalFilter.OfType("none")))).isEmpty();
    assertThat(await(runs().firstOf(id, new SignalFilter.OfHookName("name")))).contains(second);
    assertThat(await(runs().firstOf(id, new SignalFilter.OfHookName("none")))).isEmpty();
    assertThat(await(runs().firstOf(id, new SignalFilter.OfHook(source.fingerprint()))))
        .contains(second);
    var unknown = new SignalFilter.OfHook(HookFingerprint.of(new UUID(6, 6)));
    assertThat(await(runs().firstOf(id, unknown))).isEmpty();
  }

  @Test
  @DisplayName("given a signal step that timed out later, then no signal woke it last")
  void timedOut() {
    var signal = received(2, "signal", "", Optional.empty());
    var run =
        written(
            run(ready(Duration.ZERO)),
            signal,
            event(3, 0, Actor.SERVER, new RunChange.StepResumed(Optional.of("signal"))),
            event(4, 0, Actor.SERVER, new RunChange.StepResumed(Optional.empty())));
    kept(run, signal, false);
    assertThat(await(runs().wakingSignal(run.id(), 0))).isEmpty();
  }

  @Test
  @DisplayName("given completed steps, when outputs of some are read, then those come in order")
  void signalOutputs() {
    var run = run(ready(Duration.ZERO));
    written(
        run,
        event(2, 0, Actor.SERVER, completed(Optional.of(PAYLOAD))),
        event(3, 1, Actor.SERVER, completed(Optional.of(new Payload.Json("2")))),
        event(4, 2, Actor.SERVER, completed(Optional.empty())));
    assertThat(await(runs().signalOutputs(run.id(), List.of(0, 2))))
        .containsExactly(
            new SignalOutput(0, Optional.of(PAYLOAD)), new SignalOutput(2, Optional.empty()));
    assertThat(await(runs().signalOutputs(newId(workspace), List.of(0)))).isEmpty();
  }

  private static RunChange completed(Optional<Payload> output) {
    return new RunChange.StepCompleted(output, Optional.empty(), List.of(), false);
  }

  private static RunChange recorded(String name, Payload output, PartTraits traits) {
    return new RunChange.StepRecorded(
        name, output, List.of(), Optional.empty(), Optional.of(Duration.ofMillis(3)), traits);
  }

  @Test
  @DisplayName("given parts, when those of a step are read, then they come in order")
  void parts() {
    var run = run(ready(Duration.ZERO));
    var other = new Payload.Binary(new byte[] {1});
    var traits = new PartTraits(true, true);
    var failure =
        new Failure(
            "code", "message", Optional.of(PAYLOAD), "declined", "at Bank.pay(Bank.java:7)");
    var due = Instant.EPOCH.plusSeconds(9);
    written(
        run,
        event(2, 0, WORKER, recorded("b", PAYLOAD, PartTraits.NONE)),
        event(3, 0, WORKER, recorded("a", other, traits)),
        event(4, 0, WORKER, new RunChange.PartFailed("retry", 2, failure, Optional.of(due))),
        event(5, 0, WORKER, new RunChange.PartFailed("failed", 1, failure, Optional.empty())),
        event(6, 0, WORKER, new RunChange.PartBegun("begun", 1)),
        event(7, 1, WORKER, recorded("c", PAYLOAD, PartTraits.NONE)));
    var nonce = WORKER.nonce();
    var begun = new Part.Begun(6, nonce, 1, Optional.empty());
    var retry = new Part.Retrying(4, nonce, 2, Optional.of(Instant.EPOCH), due, failure);
    var failed = new Part.Failed(5, nonce, 1, Optional.of(Instant.EPOCH), failure);
    write(new PartId(run.id(), 0, "b"), new Part.Completed(2, nonce, PAYLOAD, PartTraits.NONE));
    write(new PartId(run.id(), 0, "a"), new Part.Completed(3, nonce, other, traits));
    write(new PartId(run.id(), 0, "begun"), begun);
    write(new PartId(run.id(), 0, "failed"), failed);
    write(new PartId(run.id(), 0, "retry"), retry);
    write(new PartId(run.id(), 1, "c"), new Part.Completed(7, nonce, PAYLOAD, PartTraits.NONE));
    var first = new Recorded("b", 2, PAYLOAD, PartTraits.NONE);
    var second = new Recorded("a", 3, other, traits);
    var parts = await(runs().parts(run.id(), 0));
    assertThat(parts.recorded()).isEqualTo(new Page<>(List.of(first, second), Optional.empty()));
    assertThat(parts.open())
        .containsExactly(
            new OpenPart("retry", retry),
            new OpenPart("failed", failed),
            new OpenPart("begun", begun));
    assertThat(await(runs().recorded(run.id(), 0, 0)).items()).containsExactly(first, second);
    assertThat(await(runs().recorded(run.id(), 0, 2)).items()).containsExactly(second);
    assertThat(await(runs().parts(run.id(), 2))).isEqualTo(Parts.NONE);
  }

  /** Writes parts of step 0, each with the output; the n-th by the event n + 1. */
  private RunId writtenParts(int count, Payload output) {
    var run = run(ready(Duration.ZERO));
    written(
        run,
        IntStream.range(0, count)
            .mapToObj(i -> event(2L + i, 0, WORKER, recorded("n" + i, output, PartTraits.NONE)))
            .toArray(RunEvent[]::new));
    for (var first = 0; first < count; first += 500) {
      writeAll(
          IntStream.range(first, Math.min(count, first + 500))
              .mapToObj(
                  i ->
                      new WriteRecord<>(
                          new PartId(run.id(), 0, "n" + i),
                          new Part.Completed(2L + i, WORKER.nonce(), output, PartTraits.NONE))));
    }
    return run.id();
  }

  private List<String> namesInPages(RunId id) {
    return pages(
            Recorded.MAX_LISTED, (Optional<Long> after) -> runs().recorded(id, 0, after.orElse(0L)))
        .stream()
        .map(Recorded::name)
        .toList();
  }

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
  }

  @Test
  @DisplayName("given large outputs, then pages have each of them once and in order [workflows-M2]")
  void largeParts() {
    var output = new Payload.Binary(new byte[Payload.MAX_BYTES]);
    var id = writtenParts(9, output);
    assertThat(namesInPages(id)).isEqualTo(names(9));
    var first = await(runs().parts(id, 0)).recorded();
    assertThat(first.items()).isNotEmpty();
    assertThat(first.items().getFirst().output()).isEqualTo(output);
    var rest =
        first.next().map(after -> await(runs().recorded(id, 0, after)).items()).orElse(List.of());
    assertThat(Stream.concat(first.items().stream(), rest.stream()).map(Recorded::name))
        .as("the page that comes with the task, and those after it")
        .startsWith(names(first.items().size() + rest.size()).toArray(String[]::new));
  }

  @Test
  @DisplayName("given more parts than a page has, then the next page has the rest")
  void manyParts() {
    var count = Recorded.MAX_LISTED + 1;
    var id = writtenParts(count, PAYLOAD);
    assertThat(namesInPages(id)).isEqualTo(names(count));
    assertThat(await(runs().parts(id, 0)).recorded().next()).isPresent();
  }

  @Test
  @DisplayName("given tasks of several queues, when one is read, then the longest due come first")
  void ready() {
    var minute = written(run(ready(Duration.ofMinutes(1)))).id();
    var hour = written(run(ready(Duration.ofHours(1)))).id();
    written(run(ready(Duration.ofHours(-1))));
    written(run(held(Optional.empty())));
    var other = definition(workspace, "other", "other");
    written(run(other, Map.of(), ready(Duration.ofHours(1))));
    written(run(definition(elsewhere, "one", "q"), Map.of(), ready(Duration.ofHours(2))));
    var halfAnHour = Optional.of(Duration.ofMinutes(30));

    assertThat(await(runs().ready(workspace, "q", ALWAYS, 10))).containsExactly(hour, minute);
    assertThat(await(runs().ready(workspace, "q", ALWAYS, 1))).containsExactly(hour);
    assertThat(await(runs().ready(workspace, "q", halfAnHour, 10))).containsExactly(minute);
    assertThat(await(runs().ready(workspace, "none", ALWAYS, 10))).isEmpty();

    var queues =
        Set.of(
            new Queue(workspace, "q"),
            new Queue(workspace, "other"),
            new Queue(workspace, "none"),
            new Queue(elsewhere, "other"));
    assertThat(await(runs().ready(queues, ALWAYS)))
        .containsExactlyInAnyOrder(new Queue(workspace, "q"), new Queue(workspace, "other"));
    assertThat(await(runs().ready(queues, halfAnHour))).containsExactly(new Queue(workspace, "q"));
  }

  @Test
  @DisplayName("given timers and leases, when what is due is read, then the soonest come first")
  void due() {
    var timer = written(run(waiting(now.minusSeconds(60)))).id();
    var lease = written(run(held(Optional.empty()))).id();
    var overdue = written(run(waiting(now.minusSeconds(3_600)))).id();
    written(run(waiting(now.plusSeconds(7_200))));
    written(run(ready(Duration.ofMinutes(1))));
    written(run(new Phase.Completed(now)));
    var hour = Duration.ofHours(1);

    assertThat(due(hour, ALWAYS)).extracting(Due::run).containsExactly(overdue, timer, lease);
    assertThat(due(hour, Optional.of(Duration.ofMinutes(30))))
        .extracting(Due::run)
        .containsExactly(timer, lease);
    assertThat(due(Duration.ZERO, ALWAYS)).extracting(Due::run).containsExactly(overdue, timer);
    assertThat(due(hour, ALWAYS).getLast().in()).isBetween(Duration.ofSeconds(500), hour);
    assertThat(await(runs().due(hour, ALWAYS, 1))).hasSize(1);
  }

  @Test
  @DisplayName("given deadlines, then a run in any phase is due at the earlier of its times, once")
  void deadlines() {
    var hour = Duration.ofHours(1);
    var queued = written(run(ready(hour), hour.negated())).id();
    var paused = written(run(new Phase.Paused(ready(hour)), Duration.ofMinutes(-1))).id();
    var waiting = written(run(waiting(now.plusSeconds(1_200)), Duration.ofMinutes(10))).id();
    var timer = written(run(waiting(now.plusSeconds(1_200)), Duration.ofMinutes(30))).id();
    written(run(ready(hour), Duration.ofHours(2)));
    written(run(new Phase.Completed(now), Duration.ofMinutes(-1)));

    var due = due(hour, ALWAYS);
    assertThat(due).extracting(Due::run).containsExactly(queued, paused, waiting, timer);
    assertThat(due.get(2).in()).isLessThanOrEqualTo(Duration.ofMinutes(10));
    assertThat(due.get(3).in()).isLessThanOrEqualTo(Duration.ofMinutes(20));
    assertThat(due(hour, Optional.of(Duration.ofMinutes(30))))
        .extracting(Due::run)
        .containsExactly(paused, waiting, timer);
  }

  /** All workspaces have one list. */
  private List<Due> due(Duration ahead, Optional<Duration> back) {
    return await(runs().due(ahead, back, 1_000)).stream()
        .filter(due -> due.run().workspace().equals(workspace))
        .toList();
  }

  @Test
  @DisplayName(
      "given tasks granted to polls, when one poll is read, then what it still holds comes")
  void polled() {
    var run = written(run(held(Optional.of(POLL))));
    written(run(held(Optional.of(new UUID(4, 4)))));
    written(run(held(Optional.empty())));
    assertThat(await(runs().polled(workspace, POLL))).containsExactly(run.id());
    assertThat(await(runs().polled(workspace, new UUID(9, 9)))).isEmpty();
    assertThat(await(runs().polled(elsewhere, POLL))).isEmpty();
  }

  @Test
  @DisplayName("given some runs, when versions are read, then those that exist have one")
  void versions() {
    var run = written(run(ready(Duration.ZERO)));
    assertThat(await(runs().versions(Set.of(run.id(), newId(workspace)))))
        .isEqualTo(Map.of(run.id(), 1L));
    assertThat(await(runs().versions(Set.of()))).isEmpty();
  }
}
