package dev.hapax.domain.hook;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Gives an existing run a hook token.
 *
 * @param claim of the step that requests the token; empty = an outside caller requests it
 * @param name by which the run refers to the token; empty = none
 * @param supersede whether to cancel an owner of the token; empty = report the conflict
 */
public record CreateHook(
    RunId run,
    Optional<TaskClaim> claim,
    HookId hook,
    String name,
    Duration retention,
    Optional<ConflictPolicy.Supersede> supersede,
    Actor actor)
    implements Command<CreateHookOutcome> {
  private static final int SIZE = 2048;

  public CreateHook {
    Text.name(name);
    Hook.requireRetention(retention);
  }

  @Override
  public Workspace workspace() {
    return run.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(run, hook);
  }

  /** Concurrent commands for one token go to the same batch. */
  @Override
  public HookId route() {
    return hook;
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public CreateHookOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(run);
    if (claim.filter(held -> found.flatMap(r -> r.heldBy(held, now)).isEmpty()).isPresent()) {
      return new CreateHookOutcome.Lost(new TaskLost(claim.get(), found));
    }
    if (found.isEmpty()) {
      return new CreateHookOutcome.NotFound();
    }
    var owning = found.get();
    if (owning.hasEnded()) {
      return new CreateHookOutcome.RunEnded(owning);
    }
    return owning.tokens().isAwaiting()
        ? new CreateHookOutcome.Blocked(owning)
        : compete(records, now, owning);
  }

  private CreateHookOutcome compete(BatchRecords records, Instant now, Run owning) {
    var found = TokenOwner.orFirst(hook, List::of, records, now);
    if (found.isEmpty()) {
      return create(records, now, owning, Optional.empty());
    }
    var owner = found.get().owner();
    if (owner.id().equals(run)) {
      return new CreateHookOutcome.Owned(found.get().hook(), owning, Optional.empty(), true);
    }
    return supersede.filter(policy -> policy.allows(owner)).isPresent()
        ? create(records, now, owning, Optional.of(owner))
        : new CreateHookOutcome.Conflict(owner);
  }

  private CreateHookOutcome create(
      BatchRecords records, Instant now, Run owning, Optional<Run> owner) {
    if (!owning.hasRoom()) {
      return new CreateHookOutcome.Full();
    }
    var superseded = owner.map(former -> former.supersededBy(run, now, actor));
    superseded.ifPresent(ended -> records.put(ended.id(), ended));
    var created = Hook.of(records.get(hook), run, name, retention, now);
    var after =
        owning
            .withHook(hook.hash(), name, retention, superseded.map(Run::id), now, actor)
            .marked(created.line(hook));
    records.put(hook, created);
    records.put(run, after);
    return new CreateHookOutcome.Owned(created, after, superseded, false);
  }
}
