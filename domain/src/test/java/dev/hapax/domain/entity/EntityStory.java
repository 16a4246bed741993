package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.PendingRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One entity of {@link Invoices} and the commands on it. Checks after each command that the entity
 * equals the fold of its history, that every version has its event, and that fences only rise.
 */
final class EntityStory {
  static final Instant BEGINNING = Instant.parse("2026-01-01T12:00:00Z");
  static final EntityId ID = new EntityId(Invoices.WORKSPACE, "billing", "invoice/1");
  static final Actor BY = Actor.caller("ann");
  static final Duration LEASE = Duration.ofSeconds(30);

  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private final List<EntityEvent> history = new ArrayList<>();
  private final List<Run> effects = new ArrayList<>();
  private Instant now = BEGINNING;
  private long drawn = 1_000;
  private @Nullable Entity folded;
  private Fence highest = new Fence(0);

  private EntityStory() {}

  /** Only a lifecycle and its janitor. */
  static EntityStory untold(JanitorMode mode) {
    var story = new EntityStory();
    story.declare(mode);
    assertThat(story.does(story.apply(Invoices.TEXT, Optional.empty())))
        .isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    return story;
  }

  /** An invoice in this status. */
  static EntityStory at(String status, JanitorMode mode) {
    var story = untold(mode);
    assertThat(story.does(new CreateEntity(ID, status, "", BY)))
        .isInstanceOf(CreateEntityOutcome.There.class);
    return story;
  }

  static EntityStory approved() {
    return at("approved", JanitorMode.HOSTED);
  }

  void declare(JanitorMode mode) {
    var _ = does(Invoices.declare(Invoices.contract(mode)));
  }

  Instant now() {
    return now;
  }

  EntityStory later(Duration time) {
    now = now.plus(time);
    return this;
  }

  EntityStory afterTheLease() {
    return later(LEASE);
  }

  Entity entity() {
    return get(ID).orElseThrow();
  }

  List<EntityEvent> history() {
    return List.copyOf(history);
  }

  /** The started runs, in order. */
  List<Run> effects() {
    return List.copyOf(effects);
  }

  List<String> tale() {
    return history.stream().map(event -> event.change().getClass().getSimpleName()).toList();
  }

  Map<RecordKey<?>, Object> records() {
    return Map.copyOf(records);
  }

  @SuppressWarnings("unchecked") // a key's type parameter is its record's type
  <R> Optional<R> get(RecordKey<R> key) {
    return Optional.ofNullable((R) records.get(key));
  }

  /** Decides it, once more with what it led to if need be. */
  <O> O does(Command<O> command) {
    try {
      return decide(command);
    } catch (UnlockedRecordsException e) {
      return does(e.widened(command));
    }
  }

  private <O> O decide(Command<O> command) {
    var before = get(ID);
    var named = new HashMap<>(records);
    named.keySet().retainAll(Set.copyOf(command.keys()));
    var batch = new Batch(named, now);
    var outcome = batch.decide(command);
    PendingRecords.check(named, ID, command, now, outcome);
    before.flatMap(Entity::claim).ifPresent(claim -> checkCompletion(claim, command));
    batch.changes().forEach(this::keep);
    get(ID).ifPresent(after -> check(before, after));
    return outcome;
  }

  /** Checks the completion whose claim was proved elsewhere. */
  private void checkCompletion(ActionClaim claim, Command<?> command) {
    var effect = new RunId(Invoices.WORKSPACE, new UUID(0x0123456789AB7000L, 1));
    var held =
        new CompleteHeldAction(ID, claim.nonce(), Optional.empty(), effect, Optional.empty(), BY);
    PendingRecords.checkSame(
        records, held, new CompleteAction(claim, Optional.empty(), effect, BY), now);
    PendingRecords.checkAfterTake(
        records, ID, new IntentCommand.ActionCompletion(held), command, now);
  }

  private void keep(RecordKey<?> key, Batch.Change change) {
    var after = change.after();
    if (after == null) {
      records.remove(key);
      return;
    }
    records.put(key, after);
    if (after instanceof EntityDeletion deletion) {
      last(deletion);
      records.put(key, told(deletion));
    }
    if (after instanceof Run run) {
      effects.add(run);
      // as from a real ledger, where the definition has to be known
      assertThat(records).containsKey(run.definition().id());
    }
  }

  private void last(EntityDeletion deletion) {
    history.addAll(deletion.newEvents());
    assertThat(deletion.version()).isEqualTo(history.size());
    assertThat(deletion.fence()).isGreaterThan(highest);
    highest = deletion.fence();
    folded = null;
  }

  private static EntityDeletion told(EntityDeletion deletion) {
    return new EntityDeletion(
        deletion.entity(),
        deletion.version(),
        deletion.fence(),
        deletion.at(),
        deletion.requestId(),
        List.of());
  }

  private Entity first(EntityEvent event) {
    return get(new EntityDeletionId(ID))
        .map(last -> Entity.createdAgain(last, created(event), event.at(), event.actor()))
        .orElseGet(() -> Entity.created(ID, created(event), event.at(), event.actor()));
  }

  private static EntityChange.Created created(EntityEvent event) {
    return (EntityChange.Created) event.change();
  }

  private void check(Optional<Entity> before, Entity after) {
    var newEvents = after.newEvents();
    assertThat(after.version())
        .isEqualTo(before.map(Entity::version).orElse((long) history.size()) + newEvents.size())
        .isEqualTo(history.size() + newEvents.size());
    for (var event : newEvents) {
      history.add(event);
      folded = folded == null ? first(event) : folded.after(event);
      assertThat(folded.status()).isEqualTo(event.status());
      fence(event.change())
          .ifPresent(
              given -> {
                assertThat(given).isGreaterThan(highest);
                highest = given;
              });
    }
    records.put(ID, after.with(List.of()));
    var history = folded == null ? after : folded;
    assertThat(plain(after)).isEqualTo(plain(history));
    assertThat(after.fence()).isGreaterThanOrEqualTo(history.fence());
    if (newEvents.isEmpty()) {
      before.ifPresent(was -> assertThat(plain(after)).isEqualTo(plain(was)));
      before.ifPresent(was -> assertThat(after.fence()).isGreaterThanOrEqualTo(was.fence()));
    }
  }

  /** A fence that was granted, or raised without a grant. */
  private static Optional<Fence> fence(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionBegan(var grant) -> Optional.of(grant.fence());
      case EntityChange.RecoveryBegan(var grant) -> Optional.of(grant.fence());
      case EntityChange.ClaimReverted(var fence, _) -> Optional.of(fence);
      case EntityChange.ClaimReleased(_, _, var fence, _) -> Optional.of(fence);
      case EntityChange.Deleted(_, _, var fence) -> Optional.of(fence);
      case EntityChange.Created _,
          EntityChange.ActionCompleted _,
          EntityChange.ActionFailed _,
          EntityChange.Recovered _ ->
          Optional.empty();
    };
  }

  /**
   * Without data that may change without an event: the end of a lease, and a fence raised alone.
   */
  static Entity plain(Entity entity) {
    var hold =
        switch (entity.hold()) {
          case ClaimState.Free free -> free;
          case ClaimState.Claimed held -> new ClaimState.Claimed(held.action(), Instant.EPOCH);
          case ClaimState.Recovering held ->
              new ClaimState.Recovering(held.action(), held.recovery(), Instant.EPOCH);
        };
    return new Entity(
        entity.id(),
        entity.status(),
        entity.version(),
        new Fence(0),
        hold,
        entity.last(),
        entity.released(),
        entity.createdAt(),
        List.of());
  }

  // commands with defaults

  ApplyLifecycles apply(String text, Optional<AppliedLifecycle> known) {
    return new ApplyLifecycles(
        LifecycleSet.of(Invoices.WORKSPACE, Invoices.read(text)),
        known.map(found -> Map.of(Invoices.ID.name(), found)).orElse(Map.of()),
        drawn++,
        new Attribution("ann", "", PrincipalName.NONE));
  }

  BeginAction begin(String step, String requester, String attempt) {
    return begin(step, requester, attempt, OptionalLong.empty());
  }

  BeginAction begin(String step, String requester, String attempt, OptionalLong expected) {
    return begin(step, requester, attempt, Optional.of(LEASE), expected);
  }

  BeginAction beginWithoutLease(String step, String requester, String attempt) {
    return begin(step, requester, attempt, Optional.empty(), OptionalLong.empty());
  }

  private BeginAction begin(
      String step,
      String requester,
      String attempt,
      Optional<Duration> lease,
      OptionalLong expected) {
    return new BeginAction(
        ID, step, requester, AttemptId.of(attempt), lease, expected, drawn++, Invoices.MODULE, BY);
  }

  BeginAction close() {
    return begin("close", "admin", "attempt " + drawn);
  }

  BeginActionOutcome.Granted granted(BeginAction begin) {
    return (BeginActionOutcome.Granted) does(begin);
  }

  ActionClaim claimed() {
    return granted(close()).claim();
  }

  RunId run() {
    return new RunId(Invoices.WORKSPACE, new UUID(0x0123456789AB7000L, drawn++));
  }

  CompleteAction complete(ActionClaim claim) {
    return complete(claim, Optional.empty());
  }

  CompleteAction complete(ActionClaim claim, Optional<Payload> output) {
    return new CompleteAction(claim, output, run(), BY);
  }

  FailAction fail(ActionClaim claim) {
    return fail(claim, ActionFailureKind.FAILURE);
  }

  FailAction fail(ActionClaim claim, ActionFailureKind kind) {
    return new FailAction(claim, kind, "no such customer", BY);
  }

  RenewAction renew(ActionClaim claim) {
    return new RenewAction(claim, LEASE);
  }

  RevertExpiredClaim sweep() {
    return new RevertExpiredClaim(ID, Invoices.JANITOR, Invoices.JANITOR.attribution());
  }

  BeginRecovery recover(Optional<UUID> poll) {
    return new BeginRecovery(
        ID, Invoices.JANITOR, "janitor-1", poll, LEASE, drawn++, PrincipalName.NONE);
  }

  RecoveryClaim recovering() {
    return ((BeginRecoveryOutcome.Claimed) does(recover(Optional.empty()))).claim();
  }

  CompleteRecovery say(RecoveryClaim claim, RecoveryVerdict verdict) {
    return new CompleteRecovery(claim, verdict, "", run(), Actor.caller("billing"));
  }

  ReleaseClaim release(String requestId) {
    return release(requestId, RecoveryVerdict.REVERT);
  }

  ReleaseClaim release(String requestId, RecoveryVerdict verdict) {
    return new ReleaseClaim(ID, requestId, "stuck", OptionalLong.empty(), verdict, run(), BY);
  }

  DeleteEntity delete(String requestId) {
    return new DeleteEntity(ID, requestId, "not needed", OptionalLong.empty(), BY);
  }

  AppliedLifecycle applied() {
    return get(Invoices.ID).orElseThrow();
  }

  boolean isDefined(String effect) {
    return get(Effect.plain(effect).definition(Invoices.WORKSPACE)).isPresent();
  }
}
