package dev.hapax.testkit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartReport;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.RecordParts;
import dev.hapax.domain.run.RecordPartsOutcome;
import dev.hapax.domain.run.ReportedParts;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.ReturnUndeliveredTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SettleStep;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.SuspendTask;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.testkit.read.ReadsContract;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every ledger keeps of the parts of runs: what their histories say. */
public abstract class PartsContract extends ReadsContract {
  private static final int RUNS = 30;
  private static final int COMMANDS = 60;
  private static final String QUEUE = "q";
  private static final Duration PAUSE = Duration.ofNanos(1);
  private static final List<Payload> OUTPUTS =
      List.of(
          new Payload.Json("{\"receipt\":7}"),
          new Payload.Json("null"),
          new Payload.Binary(new byte[] {0, 1}));

  /** Of what {@link #ledger} keeps. */
  protected abstract RunReads runs();

  @Test
  @DisplayName("given random commands, then the parts of a run are those of its history")
  void random() {
    var seen = new HashSet<Class<?>>();
    for (var seed = 0; seed < RUNS; seed++) {
      var story = new Story(new Random(seed), seed);
      for (var i = 0; i < COMMANDS; i++) {
        story.act();
        if (i % 4 == 3) {
          story.check(seed);
        }
      }
      story.events().forEach(event -> seen.add(event.change().getClass()));
    }
    assertThat(seen)
        .contains(
            RunChange.StepRecorded.class,
            RunChange.PartBegun.class,
            RunChange.PartFailed.class,
            RunChange.StepSettled.class,
            RunChange.StepResumed.class,
            RunChange.Retried.class,
            RunChange.RunFailed.class);
  }

  /** One run with two code steps. */
  private final class Story {
    private final Random random;
    private final RunId id;
    private long nonces;

    Story(Random random, int number) {
      this.random = random;
      this.id = new RunId(workspace, new UUID(now.toEpochMilli() << 16 | 0x7000L, number));
      var retry = new RetryPolicy(3, PAUSE, 1, PAUSE, Set.of());
      var code =
          new StepDefinition.Code(
              new StepDefinition.Work(QUEUE, Duration.ofHours(1), retry), retry);
      var definition =
          new Definition(
              new DefinitionId(workspace, "order", "1"),
              List.of(new StepDefinition("one", code), new StepDefinition("two", code)),
              now);
      if (number == 0) {
        write(definition.id(), definition);
      }
      await(
          ledger()
              .submit(
                  new StartRun(
                      id,
                      definition,
                      OUTPUTS.getFirst(),
                      Map.of(),
                      Optional.empty(),
                      Optional.empty(),
                      Optional.empty(),
                      Actor.caller("ann"))));
    }

    private Run run() {
      return await(runs().find(id)).orElseThrow();
    }

    List<RunEvent> events() {
      return pages(1_000, (Optional<Long> after) -> runs().events(id, after.orElse(0L), 1_000));
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private <T> Optional<T> maybe(T it) {
      return random.nextBoolean() ? Optional.of(it) : Optional.empty();
    }

    void act() {
      var run = run();
      run.claim().ifPresentOrElse(this::work, () -> operate(run));
    }

    private void operate(Run run) {
      if (run.queue().isPresent() && random.nextInt(4) > 0) {
        await(
            ledger()
                .submit(
                    new ClaimTask(
                        id, QUEUE, "worker", Optional.empty(), ++nonces, PrincipalName.NONE)));
      } else if (random.nextInt(4) == 0) {
        await(
            ledger()
                .submit(
                    new RetryRun(
                        id, "retry " + ++nonces, "", OptionalLong.empty(), Actor.caller("ann"))));
      } else {
        var part = random.nextInt(6) == 0 ? Optional.<String>empty() : Optional.of(part());
        await(
            ledger()
                .submit(
                    new SettleStep(
                        id,
                        run.step().map(StepDefinition::name).orElse("none"),
                        part,
                        verdict(part.isPresent()),
                        "settle " + ++nonces,
                        "ticket 81",
                        OptionalLong.empty(),
                        Actor.caller("ann"))));
      }
    }

    private RunChange.Verdict verdict(boolean ofPart) {
      return switch (random.nextInt(ofPart ? 3 : 4)) {
        case 0 -> new RunChange.Verdict.Complete(maybe(any(OUTPUTS)), maybe(patch()));
        case 1 -> new RunChange.Verdict.Fail(failure());
        case 2 -> new RunChange.Verdict.Repeat();
        default -> new RunChange.Verdict.Skip();
      };
    }

    private String part() {
      return "part \u00fc/" + random.nextInt(3);
    }

    private Json.Obj patch() {
      return new Json.Obj(Map.of("key " + random.nextInt(3), new Json.Num("" + nonces)));
    }

    private Failure failure() {
      return new Failure(
          "CODE", "message", maybe(any(OUTPUTS)), random.nextBoolean() ? part() : "", "at x:7");
    }

    private void work(TaskClaim claim) {
      switch (random.nextInt(12)) {
        case 0 -> await(ledger().submit(new ReturnUndeliveredTask(claim)));
        case 1 -> await(ledger().submit(suspension(claim)));
        case 2, 3 ->
            await(
                ledger()
                    .submit(
                        new FailTask(
                            claim,
                            failure(),
                            random.nextInt(3) > 0,
                            Optional.empty(),
                            0,
                            reports(0),
                            PrincipalName.NONE)));
        case 4 -> complete(claim);
        default -> record(claim);
      }
    }

    private SuspendTask suspension(TaskClaim claim) {
      var past = new StepDefinition.Timer(new StepDefinition.Timer.At(Instant.EPOCH));
      return new SuspendTask(
          claim,
          Optional.of(past),
          Optional.empty(),
          maybe(patch()),
          reports(0),
          PrincipalName.NONE);
    }

    private void complete(TaskClaim claim) {
      if (random.nextInt(3) == 0) {
        await(
            ledger()
                .submit(
                    new CompleteTask(
                        claim,
                        maybe(any(OUTPUTS)),
                        maybe(patch()),
                        List.of(),
                        false,
                        OptionalLong.empty(),
                        reports(0),
                        PrincipalName.NONE)));
      }
    }

    /** A repeated call changes nothing, unless a part began and failed in it. */
    private void record(TaskClaim claim) {
      var command = new RecordParts(claim, reports(1), PrincipalName.NONE);
      var outcome = await(ledger().submit(command));
      if (outcome instanceof RecordPartsOutcome.Stored && command.parts().reports().size() == 1) {
        var before = run();
        assertThat(await(ledger().submit(command))).isInstanceOf(RecordPartsOutcome.Stored.class);
        assertThat(run()).as("sent again").isEqualTo(before);
      }
    }

    private ReportedParts reports(int least) {
      return new ReportedParts(
          Stream.generate(this::report).limit(least + random.nextInt(3)).toList(),
          maybe(patch()),
          random.nextDouble());
    }

    private PartReport report() {
      var name = part();
      return new PartReport(
          name,
          switch (random.nextInt(6)) {
            case 0 -> new PartReport.Output(any(OUTPUTS), List.of());
            case 1, 2 -> new PartReport.Beginning();
            default ->
                new PartReport.Failing(
                    1 + random.nextInt(3),
                    failure(),
                    random.nextInt(6) == 0,
                    Optional.empty(),
                    Optional.empty());
          },
          maybe(Duration.ofMillis(1_234)),
          new PartTraits(random.nextBoolean(), random.nextBoolean()));
    }

    void check(int seed) {
      var events = events();
      var history = PartHistory.of(id, events);
      assertThat(history.violations()).as("seed %d", seed).isEmpty();
      for (var step = 0; step < 2; step++) {
        var read = await(runs().parts(id, step));
        assertThat(read.recorded().items())
            .as("recorded, seed %d", seed)
            .isEqualTo(recorded(history, step));
        assertThat(read.recorded().next()).isEmpty();
        assertThat(read.open()).as("open, seed %d", seed).isEqualTo(open(history, step));
      }
      checkRun(events, seed);
    }

    /** The run is that of its history, too. */
    private void checkRun(List<RunEvent> events, int seed) {
      var run = run();
      var folded = Run.created(id, run.definition(), run.origin(), events.getFirst().actor());
      for (var event : events.subList(1, events.size())) {
        folded = folded.after(event);
      }
      assertThat(folded.position()).as("seed %d", seed).isEqualTo(run.position());
      assertThat(folded.status()).isEqualTo(run.status());
      assertThat(folded.state()).isEqualTo(run.state());
      assertThat(folded.output()).isEqualTo(run.output());
      assertThat(folded.named()).isEqualTo(run.named());
      assertThat(folded.version()).isEqualTo(run.version());
    }

    private static List<RunReads.Recorded> recorded(PartHistory history, int step) {
      return ofStep(history, step)
          .flatMap(
              entry ->
                  entry.getValue() instanceof Part.Completed(var version, _, var output, var traits)
                      ? Stream.of(
                          new RunReads.Recorded(entry.getKey().name(), version, output, traits))
                      : Stream.empty())
          .toList();
    }

    private static List<RunReads.OpenPart> open(PartHistory history, int step) {
      return ofStep(history, step)
          .flatMap(
              entry ->
                  entry.getValue() instanceof Part.Open part
                      ? Stream.of(new RunReads.OpenPart(entry.getKey().name(), part))
                      : Stream.empty())
          .toList();
    }

    private static Stream<Map.Entry<PartId, Part>> ofStep(PartHistory history, int step) {
      return new ArrayList<>(history.parts().entrySet())
          .stream()
              .filter(entry -> entry.getKey().step() == step)
              .sorted(Comparator.comparingLong(entry -> entry.getValue().version()));
    }
  }
}
