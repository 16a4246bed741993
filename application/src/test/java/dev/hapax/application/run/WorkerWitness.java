package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.GrantReadyTask;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.testkit.run.PartHistory;
import dev.hapax.testkit.simulation.HistoryObserver;
import dev.hapax.testkit.simulation.Trace;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks grants against the tasks that workers may believe to hold, by the responses that reached
 * them: no step is granted while a worker may believe to hold it, and fences rise.
 */
final class WorkerWitness implements HistoryObserver {
  private final Trace trace;
  private final Map<TaskClaim, Instant> believed = new HashMap<>();
  private final Set<TaskClaim> ended = new HashSet<>();
  private final Map<RunId, TaskClaim> granted = new HashMap<>();
  private final Set<PartId> paid = new HashSet<>();
  private final Set<PartId> reported = new HashSet<>();
  private final Map<String, Integer> seen = new TreeMap<>();

  WorkerWitness(Trace trace) {
    this.trace = trace;
  }

  Map<String, Integer> seen() {
    return seen;
  }

  /**
   * A response with a task reached a worker, which may execute it until then, unless it ends it.
   */
  void told(TaskClaim claim, Instant until) {
    if (ended.contains(claim)) {
      return;
    }
    believed.merge(claim, until, (one, other) -> one.isAfter(other) ? one : other);
  }

  boolean believes(TaskClaim claim) {
    return isLive(believed.get(claim));
  }

  private boolean isLive(@Nullable Instant until) {
    return until != null && trace.now().isBefore(until);
  }

  /** A worker has sent the end of its task: from then on it works on it no more. */
  void ended(TaskClaim claim) {
    ended.add(claim);
    believed.remove(claim);
  }

  /** The effect of a payment, which happens once in the life of its run. */
  void paid(TaskClaim claim) {
    if (!paid.add(payment(claim.run(), claim.step()))) {
      trace.complain(claim.run(), "paid twice: " + claim);
    }
  }

  boolean isPaid(RunId run, int step) {
    return paid.contains(payment(run, step));
  }

  private static PartId payment(RunId run, int step) {
    return new PartId(run, step, WorkerSimulation.PAY);
  }

  /** A heartbeat with details was answered: each later attempt of the step gets some. */
  void reported(TaskClaim claim) {
    reported.add(details(claim));
  }

  private static PartId details(TaskClaim claim) {
    return new PartId(claim.run(), claim.step(), "details");
  }

  /** At the end, each part is that of its history, and what is recorded as paid is paid. */
  void checkParts(Map<RecordKey<?>, Object> records) {
    var stored = new HashMap<PartId, Part>();
    var expected = new HashMap<PartId, Part>();
    records.forEach(
        (key, record) -> {
          if (record instanceof Run run) {
            var history = PartHistory.of(run.id(), run.newEvents());
            assertThat(history.violations()).isEmpty();
            expected.putAll(history.parts());
          } else if (key instanceof PartId id) {
            stored.put(id, (Part) record);
            seen.merge("part: " + record.getClass().getSimpleName(), 1, Integer::sum);
          }
        });
    assertThat(stored).isEqualTo(expected);
    assertThat(stored.entrySet())
        .filteredOn(part -> part.getKey().name().equals(WorkerSimulation.PAY))
        .filteredOn(part -> part.getValue() instanceof Part.Completed)
        .allMatch(part -> paid.contains(part.getKey()));
  }

  /** At the end, one run has each key, and nothing continued a run after it lost its key. */
  void checkKeys(Map<RecordKey<?>, Object> records) {
    var having = new HashSet<RunId>();
    records.forEach(
        (_, record) -> {
          if (record instanceof RunKey key) {
            having.add(key.run());
          }
        });
    records.forEach(
        (_, record) -> {
          if (record instanceof Run run && run.origin().labels().containsKey("key")) {
            assertThat(run.tokens().keyLost()).isNotEqualTo(having.contains(run.id()));
            if (run.tokens().keyLost()) {
              seen.merge("run: key lost", 1, Integer::sum);
              assertThat(run.hasEnded()).isTrue();
              assertThat(run.newEvents().getLast().change())
                  .isInstanceOf(RunChange.Superseded.class);
            }
          }
        });
  }

  /** A worker's call was answered with LEASE_LOST. */
  void lost(TaskClaim claim) {
    if (believes(claim)) {
      trace.complain(claim.run(), "a live holder's call was answered with LEASE_LOST: " + claim);
    }
  }

  @Override
  public void decided(Command<?> command, Object outcome, Instant now) {
    if (command instanceof GrantReadyTask<?>(var moving, _, _)
        && outcome instanceof GrantReadyTask.Decided<?>(var moved, var task, _)) {
      decided(moving, Objects.requireNonNull(moved), now);
      task.ifPresent(
          claimed -> {
            seen.merge(moving.getClass().getSimpleName() + ": task granted", 1, Integer::sum);
            granted(claimed.run());
          });
      return;
    }
    seen.merge(kind(command, outcome), 1, Integer::sum);
    switch (outcome) {
      case ClaimTaskOutcome.Claimed claimed -> granted(claimed.run());
      case CompleteTaskOutcome.Completed(_, _, var next) ->
          next.ifPresent(claimed -> granted(claimed.run()));
      default -> {}
    }
  }

  private void granted(Run run) {
    var claim = run.claim().orElseThrow();
    var before = granted.put(run.id(), claim);
    if (claim.equals(before)) {
      return;
    }
    if (run.details().isEmpty() && reported.contains(details(claim))) {
      trace.complain(run.id(), "granted without the details of an earlier attempt: " + claim);
    }
    if (before != null && claim.fence().compareTo(before.fence()) <= 0) {
      trace.complain(run.id(), "the fence did not rise: " + before + ", " + claim);
    }
    believed.forEach(
        (other, until) -> {
          if (other.run().equals(run.id()) && isLive(until)) {
            trace.complain(run.id(), "granted beside a live holder: " + other + ", " + claim);
          }
        });
  }

  private static String kind(Command<?> command, Object outcome) {
    var kind = command.getClass().getSimpleName() + ": ";
    return switch (outcome) {
      case ClaimTaskOutcome.Claimed claimed -> kind + deliveries(claimed.run());
      case CompleteTaskOutcome.Completed(_, var already, var next) when already ->
          kind + "already" + next.map(_ -> ", next again").orElse("");
      case CompleteTaskOutcome.Completed(_, _, var next) ->
          kind + "completed" + next.map(_ -> ", next").orElse("");
      case HeartbeatOutcome.Renewed _ -> kind + "renewed";
      case TaskLost _ -> kind + "lost";
      case Optional<?> freed -> kind + (freed.isPresent() ? "freed" : "not freed");
      default -> kind + outcome.getClass().getSimpleName();
    };
  }

  private static String deliveries(Run run) {
    return run.held().orElseThrow().deliveries() > 1 ? "delivered again" : "granted";
  }

  @Override
  public void removed(RecordKey<?> key, Instant now) {}

  @Override
  public void withoutFaults(Instant since, Instant now) {}

  @Override
  public String describe(Object what) {
    return switch (what) {
      case Run run -> run.status() + " " + run.phase();
      case ClaimTaskOutcome.Claimed claimed -> "claimed " + claimed.run().phase();
      case CompleteTaskOutcome.Completed(var run, var already, _) ->
          "completed, already %s, %s".formatted(already, run.phase());
      case TaskLost lost -> "lost, " + lost.reason();
      case Optional<?> some -> some.map(this::describe).orElse("nothing");
      case Fence fence -> Long.toString(fence.value());
      default -> what.toString().lines().findFirst().orElse("").transform(WorkerWitness::cut);
    };
  }

  private static String cut(String text) {
    return text.length() > 200 ? text.substring(0, 200) : text;
  }
}
