package dev.hapax.postgres.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.Deadlines;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StepPosition;
import dev.hapax.domain.run.StepTurn;
import dev.hapax.domain.run.TaskGrant;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/** Runs and events with everything they can have. */
public final class RunSamples {
  public static final Workspace WORKSPACE = new Workspace("runs");
  public static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678901Z");

  private static final RunId OTHER = new RunId(WORKSPACE, new UUID(0x7000, 77));

  public static final List<Payload> PAYLOADS =
      List.of(
          new Payload.Json("{\"b\":1,  \"a\": \"\\u0000 \uD83D\uDE00\"}"),
          new Payload.Json(""),
          new Payload.Binary(new byte[] {0, -1, '\\', '{', '"', ','}),
          new Payload.Binary(new byte[0]));

  public static final List<String> TEXTS =
      List.of("plain", "NULL", "{\"a\\b\", }", "ünï\uD83D\uDE00".repeat(40), "'; --\u00a0");

  /** A member for every kind of value; also text that no database takes as it is. */
  public static final Json.Obj STATE =
      object(
          Map.of(
              "text", new Json.Str("\uD83D\uDE00 \u0000 \uD800 \" \\ \n\u2028"),
              "\uD83D\uDE00 \u0000", new Json.Num("-0.10E+1000"),
              "", new Json.Null(),
              "array", new Json.Array(List.of(new Json.Bool(true), object(Map.of()))),
              "deep", object(Map.of("no", new Json.Bool(false)))));

  private static final Random RANDOM = new Random(42);
  private static long millis = NOW.toEpochMilli();

  private static final RunTimeouts TIMEOUTS =
      new RunTimeouts(Optional.of(Duration.ofNanos(1_000)), Optional.of(Duration.ofDays(365)));

  private RunSamples() {}

  private static Json.Obj object(Map<String, Json> members) {
    return new Json.Obj(new LinkedHashMap<>(members));
  }

  /** Newer than every one before. */
  public static RunId newRun() {
    return newRun(WORKSPACE);
  }

  private static synchronized RunId newRun(Workspace workspace) {
    var high = (++millis << 16) | 0x7000L | RANDOM.nextInt(0x1000);
    return new RunId(workspace, new UUID(high, (RANDOM.nextLong() >>> 2) | Long.MIN_VALUE));
  }

  /** Registered at this time, with one step. */
  public static Definition definition(DefinitionId id, Instant registeredAt) {
    var step = new StepDefinition("only", new StepDefinition.Task(work("q")));
    return new Definition(id, List.of(step), registeredAt);
  }

  static Definition definition(String name, StepDefinition.Kind... kinds) {
    var steps = new ArrayList<StepDefinition>();
    for (var kind : kinds) {
      steps.add(new StepDefinition("step-" + steps.size(), kind));
    }
    return new Definition(new DefinitionId(WORKSPACE, name, "1"), steps, NOW);
  }

  static StepDefinition.Work work(String queue) {
    return new StepDefinition.Work(queue, Duration.ofSeconds(30), RetryPolicy.DEFAULT);
  }

  public static final SourceHook SOURCE = new SourceHook(OTHER.uuid(), "\u00fc name");

  /** Every kind, with texts that another kind could have, too. */
  public static final List<SignalFilter> FILTERS =
      List.of(
          new SignalFilter.Any(),
          new SignalFilter.OfType("type"),
          new SignalFilter.OfType("0123456789abcdef"),
          new SignalFilter.OfHook(new HookFingerprint("0123456789abcdef")),
          new SignalFilter.OfHookName("0123456789abcdef"),
          new SignalFilter.OfHookName("\u00fc".repeat(255), Optional.of("t".repeat(255))));

  /** With a step of every kind, with all they can say. */
  public static Definition everyKind(String name) {
    var retry =
        new RetryPolicy(
            20, Duration.ofNanos(1), 1.1, RetryPolicy.MAX_PAUSE, Set.of("a", "b", "\u00fc"));
    var partRetry =
        new RetryPolicy(
            RetryPolicy.UNLIMITED,
            Duration.ofNanos(1),
            1.1,
            RetryPolicy.MAX_PAUSE,
            Set.of("a", "b"),
            Set.of("c", "\u00fc"),
            Optional.of(RetryPolicy.MAX_GIVE_UP));
    return definition(
        name,
        new StepDefinition.Task(work("q")),
        new StepDefinition.Task(work("q"), true),
        new StepDefinition.Code(
            new StepDefinition.Work(
                "\" q", Duration.ofMillis(100), retry, Optional.of(Duration.ofDays(30))),
            partRetry),
        new StepDefinition.Timer(
            new StepDefinition.Timer.After(Duration.ofDays(365).minusNanos(1))),
        new StepDefinition.Timer(new StepDefinition.Timer.At(NOW.plusNanos(7))),
        new StepDefinition.Signal(new SignalFilter.Any(), Optional.empty()),
        new StepDefinition.Signal(new SignalFilter.OfHookName("\u00fc"), Optional.empty()),
        new StepDefinition.Signal(
            new SignalFilter.OfHookName("\u00fc", Optional.of("type")), Optional.empty()),
        new StepDefinition.Signal(
            new SignalFilter.OfType("approval"), Optional.of(Duration.ofHours(1))));
  }

  static TaskGrant grant(long nonce, long fence, String worker, boolean all) {
    return new TaskGrant(
        nonce,
        new Fence(fence),
        worker,
        all ? Optional.of(new UUID(nonce, fence)) : Optional.empty(),
        all ? OptionalLong.of(-nonce) : OptionalLong.empty());
  }

  /** Every phase, with and without each part, paused and not. */
  public static List<Phase> phases() {
    var open = new ArrayList<Phase.Open>();
    open.add(new Phase.Ready(NOW, 3));
    open.add(new Phase.Blocked(Long.MAX_VALUE, NOW, 3));
    for (var all : List.of(true, false)) {
      var attemptUntil = all ? Optional.of(NOW.plusNanos(1_000)) : Optional.<Instant>empty();
      var granted = grant(Long.MIN_VALUE, 42, "worker", all);
      var held = new Phase.Held(granted, NOW, attemptUntil, all ? 2 : 1);
      open.add(held);
      open.add(new Phase.InDoubt(held));
      for (var filter : FILTERS) {
        open.add(
            new Phase.Waiting(all ? Optional.of(NOW) : Optional.empty(), Optional.of(filter), all));
      }
      open.add(new Phase.Waiting(all ? Optional.of(NOW) : Optional.empty(), Optional.empty(), all));
    }
    open.add(new Phase.Finishing(Optional.empty()));
    failures().forEach(failure -> open.add(new Phase.Finishing(Optional.of(failure))));
    var phases = new ArrayList<Phase>(open);
    open.forEach(behind -> phases.add(new Phase.Paused(behind)));
    phases.add(new Phase.Completed(NOW));
    failures().forEach(failure -> phases.add(new Phase.Failed(NOW, failure)));
    Stream.concat(TEXTS.stream(), Stream.of(""))
        .forEach(reason -> phases.add(new Phase.Cancelled(NOW, reason)));
    return phases;
  }

  static List<Failure> failures() {
    var failures = new ArrayList<Failure>();
    failures.add(new Failure("code", "", Optional.empty()));
    failures.add(new Failure("code", "", Optional.empty(), "part", ""));
    PAYLOADS.forEach(
        payload -> failures.add(new Failure("\u00fc", "so it is\n", Optional.of(payload))));
    return failures;
  }

  public static RunOrigin origin(Payload input, Map<String, String> labels) {
    return new RunOrigin(
        new RunParameters(input, labels, Optional.empty(), TIMEOUTS),
        NOW,
        NOW.plusSeconds(1),
        NOW.plusSeconds(2));
  }

  public static Run run(Definition definition, RunOrigin origin, Phase phase) {
    return run(newRun(), definition, origin, phase);
  }

  /** Completed ones, oldest first, of such a definition in their own workspace. */
  static List<Run> runs(Workspace workspace, Definition like, Payload input, int number) {
    var id = new DefinitionId(workspace, like.id().name(), like.id().version());
    var definition = new Definition(id, like.steps(), like.registeredAt());
    return Stream.generate(
            () ->
                run(
                    newRun(workspace),
                    definition,
                    origin(input, Map.of()),
                    new Phase.Completed(NOW)))
        .limit(number)
        .toList();
  }

  private static Run run(RunId id, Definition definition, RunOrigin origin, Phase phase) {
    return new Run(
        id,
        definition,
        origin,
        7,
        new StepPosition(2, 4, 5, new Fence(42)),
        phase,
        Json.Obj.EMPTY,
        Optional.empty(),
        new Inbox(9, 8),
        6,
        tokens(phase),
        Optional.empty(),
        new Deadlines(Optional.empty(), Optional.of(NOW.plusSeconds(9))),
        Optional.of(PAYLOADS.getFirst()),
        stepTurn(phase),
        phase instanceof Phase.Waiting ? Optional.of(new StepTurn(TURN, LIMITS)) : Optional.empty(),
        List.of());
  }

  private static Optional<StepTurn> stepTurn(Phase phase) {
    return phase instanceof Phase.Held ? Optional.of(new StepTurn(TURN, LIMITS)) : Optional.empty();
  }

  /** The lines of limits. */
  private static final List<UUID> LIMITS = List.of(new UUID(7, 7), OTHER.uuid());

  /** The microsecond of the sample time, or one later. */
  private static final long TURN = ChronoUnit.MICROS.between(Instant.EPOCH, NOW) + 1;

  private static HookTokens tokens(Phase phase) {
    return phase instanceof Phase.Blocked
        ? new HookTokens(
            Optional.empty(),
            Optional.empty(),
            false,
            Duration.ZERO,
            AWAITED,
            new TreeSet<>(Set.of(OTHER.uuid(), new UUID(-1, -1))))
        : new HookTokens(Optional.empty(), Optional.empty(), false, Duration.ZERO);
  }

  private static final List<AwaitedToken> AWAITED =
      List.of(
          new AwaitedToken(OTHER.uuid(), "", Duration.ZERO),
          new AwaitedToken(new UUID(-1, -1), "\" \u00fc,", Duration.ofDays(365)));

  public static Run with(Run run, long version, Json.Obj state, Optional<Payload> output) {
    return new Run(
        run.id(),
        run.definition(),
        run.origin(),
        version,
        run.position(),
        run.phase(),
        state,
        output,
        run.inbox(),
        run.named(),
        run.tokens(),
        Optional.of(NOW),
        run.deadlines(),
        state.members().isEmpty() ? run.details() : output,
        run.stepTurn(),
        run.definitionTurn(),
        run.newEvents());
  }

  public static Run with(Run run, long version, Phase phase) {
    return new Run(
        run.id(),
        run.definition(),
        run.origin(),
        version,
        run.position(),
        phase,
        run.state(),
        run.output(),
        run.inbox(),
        run.named(),
        run.tokens(),
        run.startedAt(),
        run.deadlines(),
        run.details(),
        stepTurn(phase),
        run.definitionTurn(),
        run.newEvents());
  }

  /** Every change, with and without each part. */
  public static List<RunChange> changes() {
    var changes = new ArrayList<RunChange>();
    changes.add(new RunChange.StepStarted(Optional.empty()));
    for (var all : List.of(true, false)) {
      changes.add(new RunChange.StepStarted(Optional.of(grant(1, 2, "w", all))));
      changes.add(
          new RunChange.StepSuspended(
              all ? Optional.of(NOW) : Optional.empty(),
              all ? Optional.of(new SignalFilter.Any()) : Optional.empty(),
              all ? Optional.of(STATE) : Optional.empty()));
      changes.add(
          new RunChange.StepCompleted(
              Optional.empty(),
              all ? Optional.of(Json.Obj.EMPTY) : Optional.empty(),
              all ? List.of("a", "\" ,", "\uD83D\uDE00") : List.of(),
              all));
      changes.add(
          new RunChange.SignalReceived(
              "id",
              all ? "type" : "",
              all ? Optional.of(SOURCE) : Optional.empty(),
              Optional.empty()));
    }
    for (var payload : PAYLOADS) {
      changes.add(
          new RunChange.StepCompleted(
              Optional.of(payload), Optional.of(STATE), List.of("1"), false));
      changes.add(
          new RunChange.SignalReceived(
              "id", "type", Optional.of(new SourceHook(OTHER.uuid(), "")), Optional.of(payload)));
      changes.add(recorded(payload, List.of(), Optional.empty(), PartTraits.NONE));
      changes.add(
          recorded(payload, List.of("1", "2"), Optional.of(STATE), new PartTraits(true, true)));
      changes.add(
          settled(new RunChange.Verdict.Complete(Optional.of(payload), Optional.of(STATE))));
    }
    for (var filter : FILTERS) {
      changes.add(
          new RunChange.StepSuspended(Optional.empty(), Optional.of(filter), Optional.empty()));
    }
    for (var failure : failures()) {
      changes.add(new RunChange.StepFailed(failure));
      changes.add(new RunChange.RetryScheduled(failure, NOW));
      changes.add(new RunChange.RunFailed(failure));
      changes.add(new RunChange.PartFailed("name", 7, failure, Optional.of(NOW)));
      changes.add(new RunChange.PartFailed("name", 7, failure, Optional.empty()));
      changes.add(new RunChange.LeaseGivenBack(Optional.of(NOW), Optional.of(failure)));
    }
    changes.add(
        settled(new RunChange.Verdict.Fail(new Failure("code", "", Optional.empty(), "part", ""))));
    for (var text : TEXTS) {
      changes.add(new RunChange.Paused(text));
      changes.add(new RunChange.Resumed(text));
      changes.add(new RunChange.Retried(text, text));
      changes.add(new RunChange.RunCancelled(text, Optional.empty()));
    }
    changes.addAll(
        List.of(
            new RunChange.StepResumed(Optional.empty()),
            new RunChange.StepResumed(Optional.of("id")),
            new RunChange.LeaseLost(false, false),
            new RunChange.LeaseLost(true, false),
            new RunChange.LeaseLost(false, true),
            new RunChange.LeaseLost(true, true),
            new RunChange.LeaseGivenBack(Optional.empty(), Optional.empty()),
            new RunChange.LeaseGivenBack(Optional.of(NOW), Optional.empty()),
            new RunChange.PartBegun("name", 2),
            settled(new RunChange.Verdict.Complete(Optional.empty(), Optional.empty())),
            settled(new RunChange.Verdict.Skip()),
            settled(new RunChange.Verdict.Repeat()),
            new RunChange.RunCompleted(),
            new RunChange.Paused(""),
            new RunChange.RunCancelled("superseded", Optional.of(OTHER)),
            new RunChange.HookCreated(OTHER.uuid(), "", Duration.ZERO, Optional.empty()),
            new RunChange.HookCreated(
                OTHER.uuid(), "name", Duration.ofDays(365).minusNanos(1_000), Optional.of(OTHER)),
            new RunChange.HookDisposed(OTHER.uuid(), ""),
            new RunChange.HookDisposed(OTHER.uuid(), "wrong order"),
            new RunChange.Superseded(OTHER, false),
            new RunChange.Superseded(OTHER, true),
            new RunChange.Blocked(TURN, AWAITED, Optional.empty()),
            new RunChange.Blocked(
                TURN,
                List.of(),
                Optional.of(new RunChange.FullLimit(false, "api", "", false, LIMITS))),
            new RunChange.Blocked(
                TURN,
                List.of(),
                Optional.of(new RunChange.FullLimit(false, "api", "x", true, LIMITS))),
            new RunChange.Blocked(
                TURN,
                List.of(),
                Optional.of(new RunChange.FullLimit(true, "api", "x", false, LIMITS))),
            new RunChange.Admitted(TURN, Duration.ofDays(1).plusNanos(1_000))));
    return changes;
  }

  private static RunChange recorded(
      Payload output, List<String> consumed, Optional<Json.Obj> patch, PartTraits traits) {
    var elapsed = patch.map(_ -> Duration.ofHours(24).minusNanos(1_000));
    return new RunChange.StepRecorded("name", output, consumed, patch, elapsed, traits);
  }

  /** Of a part if an output or a failure needs one, of the step otherwise. */
  private static RunChange settled(RunChange.Verdict verdict) {
    var part =
        verdict instanceof RunChange.Verdict.Skip ? Optional.<String>empty() : Optional.of("part");
    return new RunChange.StepSettled(part, verdict, "request", "ticket 81");
  }

  /** As the events behind this version. */
  public static List<RunEvent> events(long after, List<RunChange> changes) {
    var bys =
        List.of(
            Actor.SERVER,
            Actor.caller(""),
            new Actor("w", 1, PrincipalName.NONE),
            new Actor("w", 9, new PrincipalName("api-key:w")),
            new Actor("v", 1, new PrincipalName("token:" + "\u00fc".repeat(255))),
            new Actor("", -1, new PrincipalName("api-key:w")));
    var events = new ArrayList<RunEvent>();
    for (var change : changes) {
      for (var by : bys) {
        var version = after + events.size() + 1;
        events.add(new RunEvent(version, NOW, by, (int) version % 1_000, 3, change));
      }
    }
    return events;
  }
}
