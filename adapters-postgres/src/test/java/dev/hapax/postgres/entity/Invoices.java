package dev.hapax.postgres.entity;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginRecovery;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.postgres.lifecycle.LifecycleSamples;
import dev.hapax.postgres.run.RunSamples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Invoices that are closed under a claim by admins, and what can be done with them. */
final class Invoices {
  static final Workspace WORKSPACE = EntitySamples.WORKSPACE;
  static final Actor BY = Actor.caller("ann");

  private static final String TEXT =
      """
      { "lifecycle": "NAME", "module": "NAME", "entity": "invoices",
        "status_types": ["draft", "approved", "closing", "closed", "regenerating", "void"],
        "steps": [
          { "step_key": "approve", "status": "draft",
            "successful_state": "approved", "action": "Approve",
            "success_after_effect": { "admin": "TellCustomer" } },
          { "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "CloseBilling", "system": "CloseBilling" },
            "success_after_effect": { "admin": "SendBillingEmails" } },
          { "step_key": "regenerate", "status": "closed",
            "claim_state": ["regenerating", "closed"],
            "successful_state": "draft", "action": "Regenerate" },
          { "step_key": "cancel", "status": "approved", "successful_state": { "admin": "void" } },
          { "step_key": "revive", "status": "void", "successful_state": "approved" }
        ] }
      """;

  private static final AtomicLong DRAWN = new AtomicLong(1_000);

  private Invoices() {}

  static Lifecycle lifecycle(String name) {
    return LifecycleSamples.read(TEXT.replace("NAME", name));
  }

  /** With another action. */
  static Lifecycle lifecycle(String name, String action) {
    return LifecycleSamples.read(TEXT.replace("NAME", name).replace("Regenerate", action));
  }

  static JanitorContract contract(String module, JanitorMode mode, String... states) {
    return new JanitorContract(module, Set.of(states), JanitorTiming.DEFAULT, mode);
  }

  static ApplyLifecycles apply(Lifecycle lifecycle, Optional<AppliedLifecycle> known) {
    return apply(
        LifecycleSet.of(WORKSPACE, lifecycle),
        known.map(found -> Map.of(lifecycle.name(), found)).orElse(Map.of()));
  }

  static ApplyLifecycles declare(JanitorContract contract) {
    return apply(LifecycleSet.of(WORKSPACE, contract), Map.of());
  }

  static ApplyLifecycles apply(LifecycleSet set, Map<String, AppliedLifecycle> known) {
    return new ApplyLifecycles(set, known, DRAWN.incrementAndGet(), Attribution.SERVER);
  }

  static RetireStatuses retire(LifecycleId lifecycle, long nonce, Set<String> statuses) {
    return new RetireStatuses(WORKSPACE, nonce, Map.of(lifecycle.name(), statuses));
  }

  /** With a module of its own. */
  static void install(EntityNodes nodes, String name, JanitorMode mode) {
    var contract = contract(name, mode, "closing", "regenerating");
    var set = new LifecycleSet(WORKSPACE, List.of(lifecycle(name)), List.of(contract));
    nodes.run(apply(set, Map.of()));
  }

  static CreateEntity create(EntityId id, String status) {
    return new CreateEntity(id, status, "", BY);
  }

  static BeginAction begin(
      EntityId id, String step, String requester, String attempt, Duration lease) {
    return new BeginAction(
        id,
        step,
        requester,
        AttemptId.of(attempt),
        Optional.of(lease),
        OptionalLong.empty(),
        DRAWN.incrementAndGet(),
        id.lifecycle(),
        BY);
  }

  static CompleteAction complete(ActionClaim claim) {
    return new CompleteAction(claim, Optional.empty(), RunSamples.newRun(), BY);
  }

  static FailAction fail(ActionClaim claim, ActionFailureKind kind) {
    return new FailAction(claim, kind, "no such customer", BY);
  }

  static BeginRecovery recover(EntityId id, UUID poll, Duration lease) {
    var janitor = new JanitorId(WORKSPACE, id.lifecycle());
    return new BeginRecovery(
        id,
        janitor,
        "worker",
        Optional.of(poll),
        lease,
        DRAWN.incrementAndGet(),
        PrincipalName.NONE);
  }

  static CompleteRecovery say(RecoveryClaim claim, RecoveryVerdict verdict) {
    return new CompleteRecovery(claim, verdict, "", RunSamples.newRun(), Actor.caller("billing"));
  }

  static ReleaseClaim release(EntityId id, String request) {
    return new ReleaseClaim(
        id,
        request,
        "stuck",
        OptionalLong.empty(),
        RecoveryVerdict.REVERT,
        RunSamples.newRun(),
        BY);
  }

  static boolean isRelease(EntityChange change, String request) {
    return change instanceof EntityChange.ClaimReleased(var by, _, _, _) && by.equals(request);
  }
}
