package dev.hapax.application.entity;

import static java.util.function.Predicate.not;

import dev.hapax.domain.Fence;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginRecoveryOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.FailActionOutcome;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.entity.ReleaseClaimOutcome;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.entity.RenewActionOutcome;
import dev.hapax.domain.entity.RevertExpiredClaimOutcome;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.run.Run;
import dev.hapax.testkit.simulation.HistoryObserver;
import dev.hapax.testkit.simulation.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Checks claims by decisions alone: one holder at a time, rising fences, and an end of every claim
 * once there are no faults.
 */
final class ClaimWitness implements HistoryObserver {
  /** The longest delay of a janitor beyond its period without faults. */
  private static final Duration SLACK = Duration.ofSeconds(12);

  private final Trace trace;
  private final Map<EntityId, Holder> holders = new HashMap<>();
  private final Map<EntityId, Fence> fences = new HashMap<>();
  private final Map<String, Integer> seen = new TreeMap<>();
  private Supplier<Map<RecordKey<?>, Object>> records = Map::of;
  private Instant hostedSince = Instant.EPOCH;

  /** The holder of an entity, and until when no other may take it. */
  private record Holder(long nonce, Fence fence, Instant until) {}

  ClaimWitness(Trace trace) {
    this.trace = trace;
  }

  /** The source of the stored records. */
  void readFrom(Supplier<Map<RecordKey<?>, Object>> store) {
    records = store;
  }

  Map<String, Integer> seen() {
    return seen;
  }

  @Override
  public void decided(Command<?> command, Object outcome, Instant now) {
    seen.merge(kind(command, outcome), 1, Integer::sum);
    switch (outcome) {
      case BeginActionOutcome.Granted granted when granted.claim().exclusive() ->
          granted(granted, now);
      case BeginRecoveryOutcome.Claimed claimed -> recovering(claimed, now);
      case RenewActionOutcome.Renewed(var remaining) when command instanceof RenewAction renew ->
          renewed(renew.claim(), now.plus(remaining));
      case CompleteActionOutcome.Completed(var entity, _, var already)
          when command instanceof CompleteAction complete && !already ->
          ended(entity.id(), complete.claim().exclusive(), complete.claim().nonce());
      case FailActionOutcome.Failed(var entity, var already)
          when command instanceof FailAction fail && !already && fail.claim().exclusive() ->
          ended(entity.id(), true, fail.claim().nonce());
      case CompleteRecoveryOutcome.Recovered(var entity, _, var already)
          when command instanceof CompleteRecovery recovery && !already ->
          ended(entity.id(), true, recovery.claim().nonce());
      case ReleaseClaimOutcome.Released(var entity, _, var already) when !already ->
          holders.remove(entity.id());
      case RevertExpiredClaimOutcome.Reverted(var entity) -> swept(entity.id(), now);
      case ApplyLifecyclesOutcome.Applied(_, var janitors) ->
          janitors.stream()
              .filter(not(Stored::already))
              .forEach(stored -> hostedSince = isHosted(stored.record()) ? now : Instant.MAX);
      default -> {}
    }
  }

  private static boolean isHosted(Janitor janitor) {
    return janitor.contract().filter(is -> is.mode() == JanitorMode.HOSTED).isPresent();
  }

  private static String kind(Command<?> command, Object outcome) {
    var kind = command.getClass().getSimpleName() + ": ";
    return switch (outcome) {
      case ActionClaimLost(var reason) -> kind + reason;
      case CompleteActionOutcome.Completed(_, _, var already) when already -> kind + "already";
      case FailActionOutcome.Failed(_, var already) when already -> kind + "already";
      case CompleteRecoveryOutcome.Recovered(_, _, var already) when already -> kind + "already";
      case ReleaseClaimOutcome.Released(_, _, var already) when already -> kind + "already";
      case BeginActionOutcome.Granted granted when granted.reentrant() -> kind + "re-entered";
      case Optional<?> turn -> kind + (turn.isPresent() ? "begun" : "not due");
      default -> kind + outcome.getClass().getSimpleName();
    };
  }

  private void granted(BeginActionOutcome.Granted granted, Instant now) {
    var claim = granted.claim();
    var until = now.plus(granted.leaseRemaining());
    if (granted.reentrant()) {
      renewed(claim, until);
    } else {
      taken(claim.entity(), new Holder(claim.nonce(), claim.fence(), until), now);
    }
  }

  private void recovering(BeginRecoveryOutcome.Claimed claimed, Instant now) {
    var claim = claimed.claim();
    var holder = new Holder(claim.nonce(), claim.fence(), now.plus(claimed.leaseRemaining()));
    var before = holders.get(claim.entity());
    if (before != null && before.nonce() == holder.nonce()) {
      holders.put(claim.entity(), holder);
    } else {
      taken(claim.entity(), holder, now);
    }
  }

  private void taken(EntityId id, Holder holder, Instant now) {
    var before = holders.put(id, holder);
    if (before != null && now.isBefore(before.until())) {
      trace.complain(id, "two have it at once");
    }
    var fence = fences.put(id, holder.fence());
    if (fence != null && fence.value() >= holder.fence().value()) {
      trace.complain(id, "the fence did not rise");
    }
  }

  private void renewed(ActionClaim claim, Instant until) {
    if (!claim.exclusive()) {
      return;
    }
    var holder = holders.get(claim.entity());
    if (holder == null || holder.nonce() != claim.nonce()) {
      trace.complain(claim.entity(), "renewed for one who does not have it");
    } else {
      holders.put(claim.entity(), new Holder(holder.nonce(), holder.fence(), until));
    }
  }

  private void ended(EntityId id, boolean exclusive, long nonce) {
    var holder = holders.get(id);
    if (exclusive && (holder == null || holder.nonce() != nonce)) {
      trace.complain(id, "ended by one who does not have it");
    }
    if (exclusive) {
      holders.remove(id);
    }
  }

  private void swept(EntityId id, Instant now) {
    var holder = holders.remove(id);
    if (holder != null && now.isBefore(holder.until())) {
      trace.complain(id, "taken from one who lives");
    }
  }

  @Override
  public void removed(RecordKey<?> key, Instant now) {}

  @Override
  public void withoutFaults(Instant since, Instant now) {
    for (var record : records.get().values()) {
      if (record instanceof Entity entity && entity.due().isPresent()) {
        var from = later(later(entity.due().get(), since), hostedSince);
        if (from.isBefore(now.minus(ClaimSimulation.EVERY).minus(SLACK))) {
          trace.complain(entity.id(), "stuck for ever");
        }
      }
    }
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  /** Checks that the response to a completion matches the history. */
  void responded(ActionClaim claim, CompleteActionOutcome outcome) {
    var isDone = isEnded(claim.entity(), claim.version(), claim.nonce(), EndedGrant.How.COMPLETED);
    switch (outcome) {
      case CompleteActionOutcome.Completed _ when !isDone ->
          trace.complain(claim.entity(), "the response says completed, but the history does not");
      case ActionClaimLost _ when isDone ->
          trace.complain(
              claim.entity(), "the response says claim lost, but the history says completed");
      case CompleteActionOutcome.Completed _,
          CompleteActionOutcome.Changing _,
          ActionClaimLost _ -> {}
    }
  }

  /** The same for a failure; one of a non-exclusive claim changes nothing. */
  void responded(ActionClaim claim, FailActionOutcome outcome) {
    var isDone = isEnded(claim.entity(), claim.version(), claim.nonce(), EndedGrant.How.FAILED);
    if (claim.exclusive() && isDone != (outcome instanceof FailActionOutcome.Failed)) {
      trace.complain(claim.entity(), "the response to a failure does not match the history");
    }
  }

  private boolean isEnded(EntityId id, long version, long nonce, EndedGrant.How how) {
    return Optional.ofNullable((Entity) records.get().get(id)).stream()
        .flatMap(entity -> entity.newEvents().stream())
        .filter(event -> event.version() == version + 1)
        .flatMap(event -> EndedGrant.byHolder(event).stream())
        .anyMatch(ended -> ended.nonce() == nonce && ended.how() == how);
  }

  /** Checks at the end: histories without a gap, and exactly one after-effect for each success. */
  void end() {
    var effects = new HashMap<String, Integer>();
    var successes = new HashMap<String, Integer>();
    for (var record : records.get().values()) {
      if (record instanceof Run run) {
        effects.merge(run.origin().labels().getOrDefault("hapax.entity", "?"), 1, Integer::sum);
      }
      if (record instanceof Entity entity) {
        var version = 0;
        for (var event : entity.newEvents()) {
          if (event.version() != ++version) {
            throw new AssertionError("a gap in the history of " + entity);
          }
          if (hasEffect(event)) {
            successes.merge(entity.id().id(), 1, Integer::sum);
          }
        }
        if (version != entity.version()) {
          throw new AssertionError("the history ends too early: " + entity);
        }
        if (isStranded(entity)) {
          throw new AssertionError("its lifecycle has no such status: " + entity);
        }
      }
    }
    if (!effects.equals(successes)) {
      throw new AssertionError("successes %s, effects %s".formatted(successes, effects));
    }
  }

  private boolean isStranded(Entity entity) {
    return !(records.get().get(entity.id().lifecycleId()) instanceof AppliedLifecycle applied
        && applied.lifecycle().statuses().contains(entity.status()));
  }

  private static boolean hasEffect(EntityEvent event) {
    return switch (event.change()) {
      case EntityChange.ActionCompleted(var step, _, _, _, _) -> step.equals("close");
      case EntityChange.Recovered(var verdict, _) -> verdict == RecoveryVerdict.COMPLETE;
      case EntityChange.ClaimReleased(_, _, _, var verdict) -> verdict == RecoveryVerdict.COMPLETE;
      default -> false;
    };
  }

  @Override
  public String describe(Object what) {
    return what.toString();
  }
}
