package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunKeysIT {
  private static final int KEYS = 100;
  private static final int EACH = 6;
  private static final Definition DEFINITION =
      RunSamples.definition("keyed", new StepDefinition.Task(RunSamples.work("q")));

  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(2);
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static RunKeyId key(int number) {
    return RunKeyId.of(RunSamples.WORKSPACE, "key-" + number);
  }

  private static StartRun startOf(RunKeyId key, String request, Duration retention) {
    return startOf(key, request, retention, OnKeyMismatch.ERROR);
  }

  private static StartRun startOf(
      RunKeyId key, String request, Duration retention, OnKeyMismatch onMismatch) {
    return new StartRun(
        RunSamples.newRun(),
        DEFINITION,
        new Payload.Json("1"),
        Map.of(),
        Optional.empty(),
        Optional.of(
            new StartRun.Key(
                key,
                Fingerprint.of(request.getBytes(StandardCharsets.UTF_8)),
                retention,
                onMismatch)),
        Optional.empty(),
        Actor.caller(""));
  }

  private static StartOutcome await(CompletableFuture<StartOutcome> outcome) {
    return outcome.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  @DisplayName("given starts with one key on two nodes, then one creates a run and all return it")
  void onePerKey() {
    var before = runs();
    var outcomes = new ArrayList<List<CompletableFuture<StartOutcome>>>();
    for (var i = 0; i < KEYS; i++) {
      outcomes.add(new ArrayList<>());
    }
    for (var j = 0; j < EACH; j++) {
      for (var i = 0; i < KEYS; i++) {
        outcomes
            .get(i)
            .add(nodes.ledger(j % 2).submit(startOf(key(i), "same", Duration.ofDays(1))));
      }
    }
    for (var i = 0; i < KEYS; i++) {
      var ended = outcomes.get(i).stream().map(RunKeysIT::await).toList();
      var created =
          ended.stream()
              .filter(StartOutcome.Created.class::isInstance)
              .map(outcome -> ((StartOutcome.Created) outcome).run().id())
              .toList();
      assertThat(created).hasSize(1);
      assertThat(ended.stream().map(RunKeysIT::run).distinct().toList()).isEqualTo(created);
      assertThat(nodes.runs().keyed(key(i)).join()).contains(created.getFirst());
      assertThat(nodes.runs().find(created.getFirst()).join().map(Run::version)).contains(1L);
    }
    assertThat(runs() - before).isEqualTo(KEYS);
  }

  private static int runs() {
    return Integer.parseInt(nodes.database().query("SELECT count(*) FROM hapax.run"));
  }

  private static RunId run(StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var run) -> run.id();
      case StartOutcome.Existing(var run) -> run;
      case StartOutcome.KeyReused(var run, _) -> run;
      case StartOutcome.Rejected _,
          StartOutcome.UsedExisting _,
          StartOutcome.Signalled _,
          StartOutcome.SignalRefused _,
          StartOutcome.DefinitionOutdated _,
          StartOutcome.Restarted _,
          StartOutcome.Queued _,
          StartOutcome.Superseded _ ->
          throw new AssertionError("without a token: " + outcome);
    };
  }

  @Test
  @DisplayName("given a key of another request, when starting, then it is reported as reused")
  void reused() {
    var key = RunKeyId.of(RunSamples.WORKSPACE, "reused");
    assertThat(nodes.runs().keyed(key).join()).isEmpty();
    var first = run(nodes.run(startOf(key, "one", Duration.ofDays(1))));
    assertThat(nodes.run(startOf(key, "one", Duration.ofDays(1))))
        .isEqualTo(new StartOutcome.Existing(first));
    assertThat(nodes.run(startOf(key, "two", Duration.ofDays(1))))
        .isInstanceOfSatisfying(
            StartOutcome.KeyReused.class, reused -> assertThat(reused.run()).isEqualTo(first));
  }

  @Test
  @DisplayName("a forgotten key leads to its run until that has ended, and then to another one")
  void forgotten() {
    var key = RunKeyId.of(RunSamples.WORKSPACE, "forgotten");
    var first = run(nodes.run(startOf(key, "one", Duration.ZERO)));
    var again = startOf(key, "one", Duration.ZERO);
    assertThat(nodes.run(again)).isEqualTo(new StartOutcome.Existing(first));
    nodes.run(
        new ControlRun(first, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Actor.caller("")));
    assertThat(run(nodes.run(again))).isEqualTo(again.run());
    assertThat(nodes.runs().keyed(key).join()).contains(again.run());
  }

  @Test
  @DisplayName(
      "given a cancelled run, when another request takes its key, then its record and its history"
          + " name the new run [turns-R1]")
  void restarted() {
    var key = RunKeyId.of(RunSamples.WORKSPACE, "restarted");
    var first = run(nodes.run(startOf(key, "one", Duration.ofDays(1))));
    nodes.run(
        new ControlRun(first, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Actor.caller("")));
    var corrected = startOf(key, "two", Duration.ofDays(1), OnKeyMismatch.RESTART_FAILED);
    var outcome = (StartOutcome.Restarted) nodes.run(corrected);
    assertThat(nodes.runs().keyed(key).join()).contains(corrected.run());
    assertThat(nodes.runs().find(first).join()).contains(outcome.from().with(List.of()));
    assertThat(outcome.from().tokens().keyLost()).isTrue();
    assertThat(nodes.runs().events(first, 2, 10).join().items())
        .extracting(RunEvent::change)
        .containsExactly(new RunChange.Superseded(corrected.run(), true));
  }
}
