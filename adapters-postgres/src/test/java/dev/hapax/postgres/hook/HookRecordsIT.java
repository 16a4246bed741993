package dev.hapax.postgres.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.ReopenOutcome;
import dev.hapax.domain.hook.ReopenRunWithHooks;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.hook.Turns;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What commands make of tokens is what is read. */
class HookRecordsIT {
  private static final Duration LONG = Hook.MAX_RETENTION.minusNanos(1_000);
  private static HookNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new HookNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static List<RunChange> tokenEvents(Run run) {
    return nodes.history(run.id()).stream()
        .map(RunEvent::change)
        .filter(
            change ->
                change instanceof RunChange.HookCreated
                    || change instanceof RunChange.HookDisposed
                    || change instanceof RunChange.Superseded
                    || change instanceof RunChange.RunCancelled)
        .toList();
  }

  @Test
  @DisplayName("a hook is read as it was written, and as it was changed")
  void hook() {
    var token = HookNodes.token("record");
    for (var retention : List.of(Duration.ZERO, Duration.ofNanos(1_000), LONG)) {
      for (var disposed : List.of(Optional.of(RunSamples.NOW), Optional.<Instant>empty())) {
        var name = disposed.isPresent() ? "name" : "";
        var turns = disposed.isPresent() ? new Turns(OptionalLong.of(7), 3) : Turns.NONE;
        var hook = new Hook(RunSamples.newRun(), name, RunSamples.NOW, retention, disposed, turns);
        nodes.run(RunNodes.write(token, hook));
        assertThat(nodes.run(RunNodes.read(token))).isEqualTo(hook);
      }
    }
  }

  @Test
  @DisplayName("given a superseded run, then both runs and histories name the other one [H7]")
  void supersede() {
    var token = HookNodes.token("superseded");
    var first =
        HookNodes.created(
            nodes.run(HookNodes.start(token, LONG, HookNodes.REJECT, Optional.empty(), Map.of())));
    var second = (StartOutcome.Superseded) nodes.run(HookNodes.start(token, HookNodes.TAKE));
    assertThat(nodes.find(first).tokens())
        .isEqualTo(new HookTokens(Optional.empty(), Optional.of(second.run().id()), false, LONG));
    assertThat(nodes.find(first)).isEqualTo(second.from().getFirst().with(List.of()));
    assertThat(nodes.find(second.run().id())).isEqualTo(second.run().with(List.of()));
    assertThat(tokenEvents(second.from().getFirst()))
        .containsExactly(
            new RunChange.HookCreated(token.hash(), "", LONG, Optional.empty()),
            new RunChange.RunCancelled(
                "superseded by " + second.run().id().text(), Optional.of(second.run().id())));
    assertThat(tokenEvents(second.run()))
        .containsExactly(
            new RunChange.HookCreated(token.hash(), "", Duration.ZERO, Optional.of(first)));
    assertThat(HookNodes.await(nodes.nodes.hooks().find(token)).flatMap(HookReads.Found::owner))
        .contains(second.run().with(List.of()));
  }

  @Test
  @DisplayName(
      "the kept token of an ended run is found, and taken with an event of its own " + "[H11]")
  void kept() {
    var token = HookNodes.token("kept");
    var first =
        HookNodes.created(
            nodes.run(HookNodes.start(token, LONG, HookNodes.REJECT, Optional.empty(), Map.of())));
    nodes.run(HookNodes.complete(nodes.take(first)));
    assertThat(nodes.owner(token, true)).contains(first);
    var second = (StartOutcome.Superseded) nodes.run(HookNodes.start(token, HookNodes.TAKE));
    assertThat(tokenEvents(second.from().getFirst()).getLast())
        .isEqualTo(new RunChange.Superseded(second.run().id(), false));
    assertThat(nodes.find(first).tokens().supersededBy()).contains(second.run().id());
  }

  @Test
  @DisplayName("a token is found until it is disposed, and while its run lives [H9]")
  void found() {
    var token = HookNodes.token("found");
    assertThat(HookNodes.await(nodes.nodes.hooks().find(token))).isEmpty();
    var first = nodes.owner(token);
    assertThat(nodes.owner(token, false)).contains(first);
    nodes.run(HookNodes.dispose(token));
    assertThat(HookNodes.await(nodes.nodes.hooks().find(token))).isEmpty();
    var second = nodes.owner(token);
    assertThat(nodes.owner(token, false)).contains(second);
    nodes.run(HookNodes.cancel(second));
    assertThat(HookNodes.await(nodes.nodes.hooks().find(token))).isEmpty();
  }

  @Test
  @DisplayName("a key that leads to the owner of a token keeps that run for as long [H4]")
  void remembered() {
    var token = HookNodes.token("remembered");
    var owner = nodes.owner(token);
    var key = RunKeyId.of(RunSamples.WORKSPACE, "adopts");
    var start = HookNodes.start(token, new ConflictPolicy.UseExisting());
    var keyed =
        new StartRun(
            start.start().run(),
            start.start().definition(),
            start.start().parameters().input(),
            Map.of(),
            Optional.empty(),
            Optional.of(new StartRun.Key(key, Fingerprint.of(new byte[] {1}), LONG)),
            Optional.empty(),
            HookNodes.BY);
    var before = nodes.find(owner);
    nodes.run(
        new StartRunWithHooks(
            keyed,
            List.of(
                new StartRunWithHooks.Wanted(
                    token, "", Duration.ZERO, start.wanted().getFirst().onConflict()))));
    var bound = nodes.run(RunNodes.read(key));
    assertThat(bound.run()).isEqualTo(owner);
    var after = nodes.find(owner);
    assertThat(after.origin().rememberedUntil())
        .isEqualTo(bound.expiresAt())
        .isAfter(before.origin().rememberedUntil());
    assertThat(after.version()).as("that is no event").isEqualTo(before.version());
  }

  @Test
  @DisplayName(
      "the tokens a run held are found in its history, and a retry takes them back " + "[R7]")
  void retried() {
    var token = HookNodes.token("retried");
    var other = HookNodes.token("retried, too");
    var disposed = HookNodes.token("not retried");
    var run = nodes.owner(token);
    for (var more : List.of(other, disposed)) {
      nodes.run(
          new CreateHook(
              run, Optional.empty(), more, "more", LONG, Optional.empty(), HookNodes.BY));
    }
    nodes.run(HookNodes.dispose(disposed));
    nodes.run(HookNodes.fail(nodes.take(run)));
    var held = HookNodes.await(nodes.nodes.hooks().held(run));
    assertThat(held)
        .containsExactly(new Held(token, "", Duration.ZERO), new Held(other, "more", LONG));
    nodes.run(HookNodes.cancel(nodes.owner(token)));

    var retry = new RetryRun(run, "request", "", OptionalLong.empty(), HookNodes.BY);
    assertThat(nodes.run(new ReopenRunWithHooks(retry, nodes.find(run).version(), held)))
        .isInstanceOf(ReopenOutcome.Decided.class);
    assertThat(nodes.owner(token, false)).contains(run);
    assertThat(nodes.owner(other, false)).contains(run);
    assertThat(nodes.owner(disposed, false)).isEmpty();
  }
}
