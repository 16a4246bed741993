package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Due;
import dev.hapax.domain.run.RunReads.Queue;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class RunQueuesIT {
  private static final Definition TASKS =
      RunSamples.definition(
          "tasks",
          new StepDefinition.Task(RunSamples.work("q")),
          new StepDefinition.Signal(
              new SignalFilter.OfType("go"), Optional.of(Duration.ofHours(1))));

  private RunNodes nodes;

  @BeforeEach
  void start() {
    nodes = new RunNodes(1);
    nodes.run(RunNodes.write(TASKS.id(), TASKS));
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private RunId started(Optional<Instant> at) {
    var id = RunSamples.newRun();
    nodes.run(
        new StartRun(
            id,
            TASKS,
            new Payload.Json("1"),
            Map.of(),
            at,
            Optional.empty(),
            Optional.empty(),
            Actor.caller("")));
    return id;
  }

  private Run claimed(RunId id, Optional<UUID> poll) {
    var outcome = nodes.run(new ClaimTask(id, "q", "worker", poll, 7, PrincipalName.NONE));
    return ((ClaimTaskOutcome.Claimed) outcome).run();
  }

  private List<RunId> ready(String queue, int atMost) {
    return nodes.runs().ready(RunSamples.WORKSPACE, queue, Optional.empty(), atMost).join();
  }

  private List<Due> due(Duration ahead) {
    return nodes.runs().due(ahead, Optional.empty(), 100).join();
  }

  @Test
  @DisplayName("given tasks, then a queue has the ready ones, longest due first")
  void ready() {
    assertThat(ready("q", 10)).isEmpty();
    var third = started(Optional.of(Instant.now().plusMillis(300)));
    var first = started(Optional.of(RunSamples.NOW));
    var second = started(Optional.empty());
    started(Optional.of(Instant.now().plus(Duration.ofDays(1))));
    while (ready("q", 10).size() < 3) {
      Thread.onSpinWait();
    }

    assertThat(ready("q", 10)).containsExactly(first, second, third);
    assertThat(ready("q", 2)).containsExactly(first, second);
    assertThat(ready("other", 10)).isEmpty();
    claimed(first, Optional.empty());
    nodes.run(new ControlRun(second, Verb.CANCEL, "", OptionalLong.empty(), Actor.caller("")));
    assertThat(ready("q", 10)).containsExactly(third);
  }

  @Test
  @DisplayName(
      "given many queues, when they are read, then those with ready tasks are found by one statement")
  void readyQueues() {
    var mine = new Queue(RunSamples.WORKSPACE, "q");
    var asked =
        Set.of(mine, new Queue(new Workspace("another"), "q"), new Queue(mine.workspace(), "r"));
    started(Optional.of(Instant.now().plus(Duration.ofDays(1))));
    assertThat(nodes.runs().ready(asked, Optional.empty()).join()).isEmpty();

    var id = started(Optional.empty());
    started(Optional.empty());
    assertThat(nodes.runs().ready(asked, Optional.empty()).join()).containsExactly(mine);
    assertThat(nodes.runs().ready(Set.of(), Optional.empty()).join()).isEmpty();

    claimed(id, Optional.empty());
    assertThat(nodes.runs().ready(asked, Optional.empty()).join()).containsExactly(mine);
  }

  @Test
  @DisplayName("given a bounded scan, then it goes back only as far as its bound")
  void back() {
    var due = started(Optional.empty());
    claimed(started(Optional.empty()), Optional.empty());
    var queue = new Queue(RunSamples.WORKSPACE, "q");
    var runs = nodes.runs();
    for (var within : List.of(Optional.<Duration>empty(), Optional.of(Duration.ofDays(1)))) {
      assertThat(runs.ready(queue.workspace(), "q", within, 10).join()).containsExactly(due);
      assertThat(runs.ready(Set.of(queue), within).join()).containsExactly(queue);
      assertThat(runs.due(Duration.ofHours(1), within, 10).join()).hasSize(1);
    }
    var none = Optional.of(Duration.ofDays(-1));
    assertThat(runs.ready(queue.workspace(), "q", none, 10).join()).isEmpty();
    assertThat(runs.ready(Set.of(queue), none).join()).isEmpty();
    assertThat(runs.due(Duration.ofHours(1), none, 10).join()).isEmpty();
  }

  @Test
  @DisplayName("given thousands of reads at once, then each is answered, and cancelled alone")
  void together() {
    var there = started(Optional.empty());
    var runs = nodes.runs();
    var asked = new ArrayList<CompletableFuture<Optional<Run>>>();
    for (var i = 0; i < 5_000; i++) {
      asked.add(runs.find(i % 2 == 0 ? there : RunSamples.newRun()));
    }
    for (var i = 0; i < asked.size(); i += 10) {
      asked.get(i).cancel(false);
    }
    for (var i = 0; i < asked.size(); i++) {
      if (i % 10 != 0) {
        assertThat(asked.get(i).orTimeout(30, TimeUnit.SECONDS).join().map(Run::id))
            .isEqualTo(i % 2 == 0 ? Optional.of(there) : Optional.empty());
      }
    }
    var polls = new ArrayList<CompletableFuture<List<RunId>>>();
    for (var i = 0; i < 5_000; i++) {
      polls.add(runs.polled(RunSamples.WORKSPACE, UUID.randomUUID()));
    }
    assertThat(polls).allMatch(poll -> poll.orTimeout(30, TimeUnit.SECONDS).join().isEmpty());
  }

  @Test
  @DisplayName(
      "given an early renewal, then the index is not written, and the lease is due at its end")
  void renewed() {
    var held = claimed(started(Optional.empty()), Optional.empty());
    var lease = Duration.between(held.changedAt().orElseThrow(), held.due().orElseThrow());
    renew(held, lease.plusSeconds(10));
    assertThat(indexed(held)).isEqualTo("t");
    assertThat(dueIn(held)).isBetween(lease.plusSeconds(5), lease.plusSeconds(10));

    renew(held, lease.multipliedBy(3));
    assertThat(indexed(held)).isEqualTo("f");
    assertThat(dueIn(held)).isBetween(lease.multipliedBy(3).minusSeconds(5), lease.multipliedBy(3));
  }

  private void renew(Run held, Duration lease) {
    nodes.run(new HeartbeatTask(held.claim().orElseThrow(), Optional.of(lease)));
  }

  /** Whether the index still has the time at which the first lease ended. */
  private String indexed(Run held) {
    return nodes
        .database()
        .query(
            "SELECT due_at = '%s' FROM hapax.run WHERE id = '%s'"
                .formatted(held.due().orElseThrow(), held.id().uuid()));
  }

  private Duration dueIn(Run held) {
    return due(Duration.ofDays(1)).stream()
        .filter(due -> due.run().equals(held.id()))
        .findFirst()
        .orElseThrow()
        .in();
  }

  @Test
  @DisplayName("given leases and waits, then the server gets them when they end, soonest first")
  void due() {
    started(Optional.empty());
    var held = claimed(started(Optional.empty()), Optional.empty());
    var waiting = claimed(started(Optional.empty()), Optional.empty());
    nodes.run(
        new CompleteTask(
            waiting.claim().orElseThrow(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            OptionalLong.empty(),
            PrincipalName.NONE));

    var lease = Duration.between(held.changedAt().orElseThrow(), held.due().orElseThrow());
    var wait = Duration.ofHours(1);
    assertThat(lease).isBetween(Duration.ofSeconds(20), wait.dividedBy(2));
    var both = due(Duration.ofDays(1));
    assertThat(both).extracting(Due::run).containsExactly(held.id(), waiting.id());
    assertThat(both.getFirst().in()).isBetween(Duration.ofMinutes(-1), lease);
    assertThat(both.getLast().in()).isBetween(wait.minusMinutes(1), wait);
    assertThat(due(wait.dividedBy(2))).extracting(Due::run).containsExactly(held.id());
    assertThat(due(Duration.ZERO)).isEmpty();
    assertThat(nodes.runs().due(Duration.ofDays(1), Optional.empty(), 1).join())
        .extracting(Due::run)
        .containsExactly(held.id());
  }

  @Test
  @DisplayName("given a poll, then its grants are found while they are held, paused or not")
  void polled() {
    var poll = UUID.randomUUID();
    var held = claimed(started(Optional.empty()), Optional.of(poll));
    var paused = claimed(started(Optional.empty()), Optional.of(poll));
    claimed(started(Optional.empty()), Optional.of(UUID.randomUUID()));
    claimed(started(Optional.empty()), Optional.empty());
    nodes.run(new ControlRun(paused.id(), Verb.PAUSE, "", OptionalLong.empty(), Actor.caller("")));
    assertThat(polled(poll)).containsExactlyInAnyOrder(held.id(), paused.id());

    nodes.run(
        new CompleteTask(
            held.claim().orElseThrow(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            OptionalLong.empty(),
            PrincipalName.NONE));
    assertThat(polled(poll)).containsExactly(paused.id());
  }

  private List<RunId> polled(UUID poll) {
    return nodes.runs().polled(RunSamples.WORKSPACE, poll).join();
  }
}
