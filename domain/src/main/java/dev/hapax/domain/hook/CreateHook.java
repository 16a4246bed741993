package dev.hapax.domain.hook;

import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
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
 * Gives a run that exists a token.
 *
 * @param claim of the step that asks; empty = it is asked for from outside
 * @param name what the run calls the token; empty = no name
 * @param supersede what to do when the token has an owner; empty = name it
 */
public record CreateHook(
    RunId run,
    Optional<TaskClaim> claim,
    HookId hook,
    String name,
    Duration retention,
    Optional<ConflictPolicy.Supersede> supersede,
    Actor by)
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

  /** Rivals meet at the token. */
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
  public CreateHookOutcome decide(World world, Instant now) {
    var found = world.get(run);
    if (claim.filter(held -> found.filter(r -> r.isHeldBy(held)).isEmpty()).isPresent()) {
      return new CreateHookOutcome.Lost(new TaskLost(claim.get(), found));
    }
    if (found.isEmpty()) {
      return new CreateHookOutcome.NotFound();
    }
    var asking = found.get();
    return asking.hasEnded() ? new CreateHookOutcome.RunEnded(asking) : compete(world, now, asking);
  }

  private CreateHookOutcome compete(World world, Instant now, Run asking) {
    var found = Ownership.of(hook, world, now);
    if (found.isEmpty()) {
      return create(world, now, asking, Optional.empty());
    }
    var owner = found.get().owner();
    if (owner.id().equals(run)) {
      return new CreateHookOutcome.Owned(found.get().hook(), asking, Optional.empty());
    }
    return supersede.filter(policy -> policy.isFor(owner)).isPresent()
        ? create(world, now, asking, Optional.of(owner))
        : new CreateHookOutcome.Conflict(owner);
  }

  private CreateHookOutcome create(World world, Instant now, Run asking, Optional<Run> owner) {
    if (!asking.hasRoom()) {
      return new CreateHookOutcome.Full();
    }
    var left = owner.map(before -> before.supersededBy(run, now, by));
    left.ifPresent(ended -> world.put(ended.id(), ended));
    var created = new Hook(run, name, now, retention, Optional.empty());
    var after = asking.hooked(hook.hash(), name, retention, left.map(Run::id), now, by);
    world.put(hook, created);
    world.put(run, after);
    return new CreateHookOutcome.Owned(created, after, left);
  }
}
