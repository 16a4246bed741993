package dev.hapax.domain.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random commands on random definitions. The rules are those of {@link Story} and {@link
 * Chronicle}; a seed reproduces a run.
 */
class RandomRunsTest {
  private static final int STORIES = 600;
  private static final int LONG = 20_000;
  private static final int COMMANDS = 80;
  private static final List<String> QUEUES = List.of(Steps.QUEUE, "other");
  private static final List<String> TYPES = List.of("", "go", "stop");
  private static final List<String> CODES = List.of("FLAKY", "FLAKY", "OTHER", Steps.FATAL);
  private static final SourceHook NAMED = new SourceHook(new UUID(1, 2), "named");
  private static final SourceHook NAMELESS = new SourceHook(new UUID(3, 4), "");
  private static final List<SignalFilter> FILTERS =
      List.of(
          new SignalFilter.Any(),
          new SignalFilter.OfType("go"),
          new SignalFilter.OfType("stop"),
          new SignalFilter.OfHookName("named"),
          new SignalFilter.OfHookName("named", Optional.of("go")),
          new SignalFilter.OfHook(NAMELESS.fingerprint()));
  private static final List<UUID> POLLS = List.of(new UUID(0, 1), new UUID(0, 2));

  /** These happen to several runs at once, in {@code RandomHooksTest}. */
  private static final Set<Class<?>> OF_TOKENS =
      Set.of(
          RunChange.HookCreated.class,
          RunChange.HookDisposed.class,
          RunChange.Superseded.class,
          RunChange.Blocked.class,
          RunChange.Admitted.class);

  @TestFactory
  @DisplayName("given random commands, then all rules hold [R5, R7, R8, R9, R14]")
  Stream<DynamicTest> stories() {
    return stories(0, STORIES);
  }

  @TestFactory
  @Tag("soak")
  @DisplayName("the same with more random commands")
  Stream<DynamicTest> moreStories() {
    return stories(STORIES, LONG);
  }

  private static Stream<DynamicTest> stories(int from, int count) {
    var perTest = 100;
    return IntStream.range(0, count / perTest)
        .map(part -> from + part * perTest)
        .mapToObj(
            first ->
                DynamicTest.dynamicTest(
                    "seeds from " + first,
                    () -> IntStream.range(first, first + perTest).forEach(RandomRunsTest::tell)));
  }

  private static void tell(int seed) {
    try {
      new Teller(seed).tell();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  @Test
  @DisplayName("the random runs cover every event and outcome")
  void everythingHappens() {
    var told = new TreeSet<String>();
    for (var seed = 0; seed < 300; seed++) {
      var teller = new Teller(seed);
      teller.tell();
      told.addAll(teller.story.tale());
      told.addAll(teller.outcomes);
    }
    var events =
        Stream.of(RunChange.class, RunChange.OfPart.class)
            .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
            .filter(change -> !change.isSealed() && !OF_TOKENS.contains(change))
            .map(Class::getSimpleName)
            .toList();
    assertThat(told).containsAll(events);
    assertThat(told)
        .contains(
            "Claimed",
            "NothingToDo",
            "Released",
            "Completed",
            "NoSuchSignal",
            "Failed",
            "Suspended",
            "Renewed",
            "Recorded",
            "NotRecorded",
            "InDoubt",
            "Stored",
            "part Recorded",
            "part Begun",
            "part in doubt",
            "part Failed",
            "part failed for good",
            "OtherAttempt",
            "NotSettleable",
            "Accepted DELIVERED",
            "Accepted BUFFERED",
            "Accepted DUPLICATE",
            "RunEnded",
            "Applied",
            "NotAllowed",
            "Moved",
            "TaskLost");
  }

  /** Executes one random run. */
  private static final class Teller {
    final Story story;
    final Set<String> outcomes = new TreeSet<>();
    private final Random random;
    private final List<TaskClaim> claims = new ArrayList<>(List.of(Story.NO_CLAIM));
    private final List<MatchBufferedSignal> matches = new ArrayList<>();
    private int deliveries;

    Teller(long seed) {
      random = new Random(seed);
      story =
          Story.untold(
              IntStream.range(0, 1 + random.nextInt(4))
                  .mapToObj(this::step)
                  .toArray(StepDefinition[]::new));
    }

    private StepDefinition step(int index) {
      var name = "step " + index;
      return switch (random.nextInt(8)) {
        case 0 -> Steps.timer(name, Duration.ofSeconds(1 + random.nextInt(60)));
        case 1 -> Steps.timer(name, Story.BEGINNING.plusSeconds(random.nextInt(120) - 60));
        case 2 -> onceIn(2) ? Steps.hookSignal(name, "named") : Steps.signal(name, any(TYPES));
        case 3 -> Steps.signal(name, any(TYPES), Duration.ofSeconds(1 + random.nextInt(60)));
        case 4 ->
            timed(
                onceIn(2)
                    ? Steps.atMostOnce(name, retry())
                    : Steps.task(name, any(QUEUES), retry()));
        default -> timed(Steps.code(name, retry(), partRetry()));
      };
    }

    private StepDefinition timed(StepDefinition step) {
      return onceIn(3) ? Steps.within(Duration.ofSeconds(1 + random.nextInt(60)), step) : step;
    }

    private RunTimeouts timeouts() {
      return new RunTimeouts(
          onceIn(6) ? Optional.of(Duration.ofSeconds(1 + random.nextInt(60))) : Optional.empty(),
          onceIn(6) ? Optional.of(Duration.ofSeconds(1 + random.nextInt(200))) : Optional.empty());
    }

    private RetryPolicy partRetry() {
      var policy = retry();
      return new RetryPolicy(
          policy.maxAttempts(),
          policy.initial(),
          policy.factor(),
          policy.max(),
          policy.nonRetryable(),
          onceIn(4) ? Set.of("FLAKY") : Set.of(),
          onceIn(3) ? Optional.of(Duration.ofSeconds(1 + random.nextInt(60))) : Optional.empty());
    }

    private RetryPolicy retry() {
      return new RetryPolicy(
          onceIn(6) ? RetryPolicy.UNLIMITED : 1 + random.nextInt(4),
          Duration.ofSeconds(1 + random.nextInt(10)),
          1 + random.nextInt(3),
          Duration.ofSeconds(30),
          onceIn(4) ? Set.of(Steps.FATAL, "ATTEMPT_TIMEOUT") : Set.of(Steps.FATAL));
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private boolean onceIn(int times) {
      return random.nextInt(times) == 0;
    }

    private <T> Optional<T> maybe(T it) {
      return random.nextBoolean() ? Optional.of(it) : Optional.empty();
    }

    void tell() {
      var startAt = maybe(Story.BEGINNING.plusSeconds(random.nextInt(60) - 30));
      story.does(story.start(onceIn(4) ? startAt : Optional.empty(), timeouts()));
      for (var i = 0; i < COMMANDS; i++) {
        if (onceIn(3)) {
          // also backwards: another machine's clock after a failover
          story.later(Duration.ofMillis(random.nextInt(20_000) - (onceIn(10) ? 20_000 : 0)));
        }
        does(any());
      }
      end();
      assertThat(story.folded()).isEqualTo(Story.plain(story.run()));
      assertThat(story.history()).hasSize(Math.toIntExact(story.run().version()));
    }

    private <O> void does(Command<O> command) {
      var before = story.records();
      var holder = story.chronicle.holder();
      var until = story.chronicle.attemptUntil();
      var isAtMostOnce = story.run().step().filter(StepDefinition::isAtMostOnce).isPresent();
      var phase = story.run().phase();
      var known = story.history().size();
      var outcome = story.does(command);
      if (story.run().phase() instanceof Phase.Ready(var due, _)
          && !story.run().phase().equals(phase)) {
        assertThat(due).as("nothing becomes due in the past").isAfterOrEqualTo(story.now());
      }
      outcomes.add(
          outcome instanceof SignalOutcome.Accepted(_, var disposition)
              ? "Accepted " + disposition
              : outcome.getClass().getSimpleName());
      story.run().held().ifPresent(_ -> remember(story.claim()));
      // no result counts after the time of its attempt, but of a step that runs at most once
      var held = holder.filter(_ -> isAtMostOnce || !isOver(until));
      switch (command) {
        case CompleteTask(var claim, _, _, _, _, _, _, _) ->
            checkClaim(claim, held, outcome, before);
        case FailTask(var claim, _, _, _, _, _, _) -> checkClaim(claim, held, outcome, before);
        case SuspendTask(var claim, _, _, _, _, _) -> checkClaim(claim, held, outcome, before);
        case RecordStep(var claim, _, _, _, _) -> checkClaim(claim, held, outcome, before);
        case HeartbeatTask heartbeat -> checkHeartbeat(heartbeat, holder, until, outcome, before);
        case RecordParts record -> {
          checkClaim(record.claim(), held, outcome, before);
          checkResults(record, outcome, known);
        }
        case ReleaseTask(var claim, _, _, _) -> checkClaim(claim, held, outcome, before);
        case ReturnUndeliveredTask(var claim, _) -> checkGiveBack(claim, held);
        default -> {}
      }
      checkPolicies(command, story.history().subList(known, story.history().size()));
      checkDeliveries(holder, outcome);
      switch (outcome) {
        case SignalOutcome.Accepted(_, var disposition)
            when disposition == SignalDisposition.DUPLICATE ->
            assertThat(story.records()).isEqualTo(before);
        case SignalOutcome.RunEnded _,
            ControlOutcome.NotAllowed _,
            ControlOutcome.Moved _,
            ControlOutcome.NotSettleable _,
            RecordStepOutcome.NotRecorded _,
            PartsRefused _,
            RecordStepOutcome.InDoubt _,
            CompleteTaskOutcome.NoSuchSignal _ ->
            assertThat(story.records()).isEqualTo(before);
        default -> {}
      }
      checkSignals();
    }

    private void remember(TaskClaim claim) {
      if (!claims.contains(claim)) {
        claims.add(claim);
      }
    }

    /** A claim is valid exactly as long as the history says so. */
    private void checkClaim(
        TaskClaim claim, Optional<TaskGrant> held, Object outcome, Map<?, ?> before) {
      var isHolder =
          held.filter(g -> g.nonce() == claim.nonce() && g.fence().equals(claim.fence()));
      // an ended claim still gets what it recorded
      var isTold =
          outcome instanceof RecordStepOutcome.Recorded(_, var already)
              ? already
              : outcome instanceof RecordPartsOutcome.Stored || isToldFailure(outcome);
      // and a retried completion the next task that it took
      var isAgain =
          outcome instanceof CompleteTaskOutcome.Completed
              && isHolder.isEmpty()
              && held.filter(g -> g.after().equals(OptionalLong.of(claim.nonce()))).isPresent();
      assertThat(outcome instanceof TaskLost).isEqualTo(isHolder.isEmpty() && !isTold && !isAgain);
      if (isHolder.isEmpty() && !isAgain) {
        assertThat(story.records()).as("a stale claim changes nothing").isEqualTo(before);
      }
    }

    private boolean isOver(Optional<Instant> until) {
      return until.filter(end -> !story.now().isBefore(end)).isPresent();
    }

    /** No lease is renewed beyond the time of the attempt. */
    private void checkHeartbeat(
        HeartbeatTask command,
        Optional<TaskGrant> held,
        Optional<Instant> until,
        Object outcome,
        Map<?, ?> before) {
      checkClaim(command.claim(), isOver(until) ? Optional.empty() : held, outcome, before);
      if (outcome instanceof HeartbeatOutcome.Renewed(var run, var lease, var attempt)) {
        assertThat(attempt).isEqualTo(until.map(end -> Duration.between(story.now(), end)));
        attempt.ifPresent(left -> assertThat(left).isGreaterThanOrEqualTo(lease));
        command.details().ifPresent(details -> assertThat(run.details()).contains(details));
      }
    }

    private static boolean isToldFailure(Object outcome) {
      return outcome instanceof RecordStepOutcome.InDoubt(var failure) && failure.isPresent();
    }

    /** The answers say how the parts are; a report that is sent again changes nothing. */
    private void checkResults(RecordParts command, Object outcome, int known) {
      if (!(outcome instanceof RecordPartsOutcome.Stored(var results))) {
        return;
      }
      var reports = command.parts().reports();
      assertThat(results).hasSameSizeAs(reports);
      assertThat(results.stream().filter(Teller::isNew).count())
          .isLessThanOrEqualTo(story.history().size() - known);
      for (var i = 0; i < results.size(); i++) {
        var result = results.get(i);
        outcomes.add("part " + name(result));
        var name = reports.get(i).name();
        if (reports.subList(i + 1, reports.size()).stream()
            .noneMatch(later -> later.name().equals(name))) {
          story.chronicle.parts.check(result, command.claim(), name, story.now());
        }
      }
      var isHeld = story.run().heldBy(command.claim(), story.now()).isPresent();
      if (!isHeld) {
        assertThat(results.stream().map(Teller::name))
            .as("no body begins under a lost claim")
            .isSubsetOf("Recorded", "Failed", "failed for good");
      }
      if (reports.size() == 1) {
        var before = story.records();
        assertThat(story.does(command)).isInstanceOf(RecordPartsOutcome.Stored.class);
        assertThat(story.records()).as("sent again").isEqualTo(before);
      }
    }

    private static boolean isNew(PartResult result) {
      return result instanceof PartResult.Recorded(_, var already) && !already;
    }

    private static String name(PartResult result) {
      return switch (result) {
        case PartResult.Recorded _ -> "Recorded";
        case PartResult.Failed(_, _, var next) -> next.isPresent() ? "Failed" : "failed for good";
        case PartResult.Begun(_, var inDoubt) -> inDoubt ? "in doubt" : "Begun";
      };
    }

    /** Each failure of a part is retried as its policy says. */
    private void checkPolicies(Command<?> command, List<RunEvent> events) {
      var parts =
          switch (command) {
            case CompleteTask complete -> complete.parts();
            case FailTask fail -> fail.parts();
            case SuspendTask suspend -> suspend.parts();
            case RecordParts record -> record.parts();
            default -> ReportedParts.NONE;
          };
      for (var event : events) {
        if (event.change() instanceof RunChange.PartFailed failed) {
          var report =
              parts.reports().stream()
                  .filter(each -> each.name().equals(failed.name()))
                  .map(PartReport::result)
                  .filter(PartReport.Failing.class::isInstance)
                  .map(PartReport.Failing.class::cast)
                  .filter(each -> each.attempt() == failed.attempt())
                  .findFirst()
                  .orElseThrow();
          assertThat(failed.failure()).isEqualTo(report.failure());
          assertThat(failed.retryAt())
              .isEqualTo(
                  retryAt(
                      policy(report, event),
                      report,
                      story.chronicle.parts.since(event.version()),
                      parts.jitter(),
                      event.at()));
        }
      }
    }

    private RetryPolicy policy(PartReport.Failing report, RunEvent event) {
      return report
          .retry()
          .orElseGet(
              () ->
                  story.run().definition().step(event.step()).kind()
                          instanceof StepDefinition.Code(_, var retry)
                      ? retry
                      : new RetryPolicy(
                          8, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), Set.of()));
    }

    private static Optional<Instant> retryAt(
        RetryPolicy policy, PartReport.Failing report, Instant since, double jitter, Instant now) {
      var code = report.failure().code();
      var end = policy.giveUpAfter().map(since::plus);
      if (report.isFinal()
          || policy.nonRetryable().contains(code)
          || (!policy.retryOnly().isEmpty() && !policy.retryOnly().contains(code))
          || (policy.maxAttempts() > 0 && report.attempt() >= policy.maxAttempts())
          || end.filter(time -> !time.isAfter(now)).isPresent()) {
        return Optional.empty();
      }
      var pause = report.retryAfter();
      if (pause.isPresent()) {
        return pause.map(now::plus).filter(due -> end.filter(due::isAfter).isEmpty());
      }
      var due = now.plus(policy.backoff(report.attempt(), jitter));
      return Optional.of(end.filter(due::isAfter).orElse(due));
    }

    /** The step is free when every delivery was returned. */
    private void checkGiveBack(TaskClaim claim, Optional<TaskGrant> held) {
      if (held.filter(g -> g.nonce() == claim.nonce() && g.fence().equals(claim.fence()))
          .isEmpty()) {
        return;
      }
      deliveries--;
      assertThat(story.chronicle.holder().isPresent()).isEqualTo(deliveries > 0);
    }

    private void checkDeliveries(Optional<TaskGrant> before, Object outcome) {
      var now = story.chronicle.holder();
      if (!now.equals(before)) {
        deliveries = now.isPresent() ? 1 : 0;
      } else if (outcome instanceof ClaimTaskOutcome.Claimed
          || (outcome instanceof CompleteTaskOutcome.Completed(_, var already, var next)
              && already
              && next.isPresent())) {
        deliveries++;
      }
      assertThat(story.run().lastHeld().map(Phase.Held::deliveries).orElse(0))
          .isEqualTo(deliveries);
    }

    private void checkSignals() {
      var unconsumed =
          story.records().entrySet().stream()
              .filter(entry -> entry.getValue() instanceof Signal signal && !signal.consumed())
              .map(entry -> ((SignalId) entry.getKey()).id())
              .toList();
      assertThat(unconsumed).containsExactlyInAnyOrderElementsOf(story.chronicle.inbox().keySet());
    }

    private Command<?> any() {
      return switch (random.nextInt(32)) {
        case 0, 1, 2, 3 -> story.offer(any(QUEUES), maybe(any(POLLS)));
        case 4, 5 -> complete();
        case 6, 7 -> fail();
        case 8, 9 -> suspend();
        case 10 ->
            new HeartbeatTask(
                claim(),
                maybe(Duration.ofMillis(100 + random.nextInt(60_000))),
                maybe(Story.payload("row " + random.nextInt(100))));
        case 11 ->
            new RecordStep(
                claim(),
                "part " + random.nextInt(3),
                maybe(Story.OUTPUT),
                consumed(),
                PrincipalName.NONE);
        case 12 -> new ReturnUndeliveredTask(claim());
        case 13, 14, 15 ->
            story.signal(
                "s" + random.nextInt(12), any(TYPES), maybe(any(List.of(NAMED, NAMELESS))));
        case 16, 17 -> story.advance();
        case 18 -> match();
        case 19, 20 -> story.control(onceIn(8) ? Verb.CANCEL : Verb.PAUSE, version());
        case 21, 22 -> story.control(Verb.RESUME, version());
        case 23 ->
            new ReleaseTask(claim(), Duration.ofSeconds(onceIn(2) ? 0 : 5), PrincipalName.NONE);
        case 24, 25, 26, 27, 28 -> new RecordParts(claim(), reports(1), PrincipalName.NONE);
        case 29, 30 -> settle();
        default -> story.retry(version());
      };
    }

    private String part() {
      return "part " + random.nextInt(3);
    }

    /** At least so many, and a patch perhaps. */
    private ReportedParts reports(int least) {
      return new ReportedParts(
          Stream.generate(this::report).limit(least + (onceIn(2) ? 0 : random.nextInt(3))).toList(),
          maybe(patch()),
          random.nextDouble());
    }

    private PartReport report() {
      var name = part();
      return Story.report(
          name,
          switch (random.nextInt(6)) {
            case 0, 1 -> new PartReport.Output(Story.OUTPUT, consumed());
            case 2, 3 -> new PartReport.Beginning();
            default -> failing(name);
          });
    }

    private PartReport.Failing failing(String name) {
      var next = story.chronicle.parts.next(story.run().position().step(), name);
      return new PartReport.Failing(
          onceIn(8) ? 1 + random.nextInt(4) : next,
          new Failure(any(CODES), "", Optional.empty()),
          onceIn(12),
          onceIn(3) ? Optional.of(partRetry()) : Optional.empty(),
          onceIn(4) ? Optional.of(Duration.ofSeconds(1 + random.nextInt(20))) : Optional.empty());
    }

    private SettleStep settle() {
      var part = onceIn(3) ? Optional.<String>empty() : Optional.of(part());
      return story.settle(
          part,
          switch (random.nextInt(part.isEmpty() ? 4 : 3)) {
            case 0 -> new RunChange.Verdict.Complete(maybe(Story.OUTPUT), maybe(patch()));
            case 1 -> new RunChange.Verdict.Fail(failure());
            case 2 -> new RunChange.Verdict.Repeat();
            default -> new RunChange.Verdict.Skip();
          },
          version());
    }

    private Failure failure() {
      return new Failure(any(CODES), "", Optional.empty(), onceIn(2) ? part() : "", "");
    }

    /** Mostly the one that is held, if one is. */
    private TaskClaim claim() {
      return onceIn(3) ? any(claims) : claims.getLast();
    }

    private OptionalLong version() {
      return onceIn(4)
          ? OptionalLong.of(story.run().version() - random.nextInt(2))
          : OptionalLong.empty();
    }

    private List<String> consumed() {
      var some =
          new ArrayList<>(
              story.chronicle.inbox().keySet().stream().filter(_ -> onceIn(2)).toList());
      if (onceIn(8)) {
        // one that is consumed perhaps, or unknown
        some.add("s" + random.nextInt(12));
      }
      if (onceIn(8) && !some.isEmpty()) {
        some.add(some.getFirst());
      }
      return some;
    }

    private CompleteTask complete() {
      return new CompleteTask(
          claim(),
          maybe(Story.OUTPUT),
          maybe(patch()),
          consumed(),
          onceIn(5),
          onceIn(2) ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
          onceIn(3) ? reports(0) : ReportedParts.NONE,
          PrincipalName.NONE);
    }

    private Json.Obj patch() {
      return new Json.Obj(
          Map.of(
              "key " + random.nextInt(3),
              onceIn(3) ? new Json.Null() : new Json.Num("" + random.nextInt(10))));
    }

    private FailTask fail() {
      return new FailTask(
          claim(),
          failure(),
          onceIn(10),
          onceIn(4) ? Optional.of(Duration.ofSeconds(1 + random.nextInt(20))) : Optional.empty(),
          random.nextDouble(),
          onceIn(3) ? reports(0) : ReportedParts.NONE,
          PrincipalName.NONE);
    }

    private SuspendTask suspend() {
      var until = story.now().plusSeconds(random.nextInt(60) - 10);
      var signal = maybe(any(FILTERS));
      return new SuspendTask(
          claim(),
          signal.isEmpty() || onceIn(2) ? Optional.of(timer(until)) : Optional.empty(),
          signal,
          maybe(patch()),
          onceIn(3) ? reports(0) : ReportedParts.NONE,
          PrincipalName.NONE);
    }

    private StepDefinition.Timer timer(Instant until) {
      var left = Duration.between(story.now(), until);
      return new StepDefinition.Timer(
          left.isPositive() && random.nextBoolean()
              ? new StepDefinition.Timer.After(left)
              : new StepDefinition.Timer.At(until));
    }

    /** A match that was found now, or some time ago. */
    private MatchBufferedSignal match() {
      matches.add(story.match());
      return onceIn(3) ? any(matches) : matches.getLast();
    }

    /** Without further failures, every run ends. */
    private void end() {
      for (var i = 0; !story.run().hasEnded(); i++) {
        assertThat(i).as("ends at last").isLessThan(200);
        does(story.control(Verb.RESUME));
        does(story.advance());
        if (!story.run().hasEnded()) {
          does(story.match());
          // each type and each hook for which a step may wait
          var type = i / 2 % 2 == 0 ? "go" : "stop";
          does(story.signal("last " + i, type, Optional.of(i % 2 == 0 ? NAMED : NAMELESS)));
        }
        for (var queue : QUEUES) {
          does(story.offer(queue, Optional.empty()));
          does(story.complete(claims.getLast()));
        }
        story.later(Duration.ofMinutes(1));
      }
      assertThat(story.run().due()).isEmpty();
    }
  }
}
