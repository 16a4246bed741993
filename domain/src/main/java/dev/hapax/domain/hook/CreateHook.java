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
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Gives an existing run a hook token.
 *
 * @param claim of the step that requests the token; empty = an outside caller requests it
 * @param name by which the run refers to the token; empty = none
 * @param supersede whether to cancel an owner of the token; empty = report the conflict
 * @param known the run found to own the token
 */
public record CreateHook(
    RunId run,
    Optional<TaskClaim> claim,
    HookId hook,
    String name,
    Duration retention,
    Optional<ConflictPolicy.Supersede> supersede,
    Optional<RunId> known,
    Actor actor)
    implements Command<CreateHookOutcome> {
  private static final int SIZE = 2048;

  public CreateHook {
    Text.name(name);
    Hook.requireRetention(retention);
  }

  /** Returns the command with the owner as a known record. */
  public CreateHook knowing(RunId owner) {
    return new CreateHook(run, claim, hook, name, retention, supersede, Optional.of(owner), actor);
  }

  @Override
  public Workspace workspace() {
    return run.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.concat(Stream.of(run, hook), known.stream())
        .<RecordKey<?>>map(key -> key)
        .toList();
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
  public CreateHookOutcome decide(World world, Instant now) {
    var found = world.get(run);
    if (claim.filter(held -> found.filter(r -> r.isHeldBy(held)).isEmpty()).isPresent()) {
      return new CreateHookOutcome.Lost(new TaskLost(claim.get(), found));
    }
    if (found.isEmpty()) {
      return new CreateHookOutcome.NotFound();
    }
    var owning = found.get();
    return owning.hasEnded() ? new CreateHookOutcome.RunEnded(owning) : compete(world, now, owning);
  }

  private CreateHookOutcome compete(World world, Instant now, Run owning) {
    return switch (Ownership.of(hook, known, world, now)) {
      case Ownership.Unknown(var owner) -> new CreateHookOutcome.KnowFirst(owner);
      case Ownership.Free() -> create(world, now, owning, Optional.empty());
      case Ownership.Owned(var own, var owner) when owner.id().equals(run) ->
          new CreateHookOutcome.Owned(own, owning, Optional.empty());
      case Ownership.Owned(_, var owner)
          when supersede.filter(policy -> policy.allows(owner)).isPresent() ->
          create(world, now, owning, Optional.of(owner));
      case Ownership.Owned(_, var owner) -> new CreateHookOutcome.Conflict(owner);
    };
  }

  private CreateHookOutcome create(World world, Instant now, Run owning, Optional<Run> owner) {
    if (!owning.hasRoom()) {
      return new CreateHookOutcome.Full();
    }
    var left = owner.map(before -> before.supersededBy(run, now, actor));
    left.ifPresent(ended -> world.put(ended.id(), ended));
    var created = new Hook(run, name, now, retention, Optional.empty());
    var after = owning.withHook(hook.hash(), name, retention, left.map(Run::id), now, actor);
    world.put(hook, created);
    world.put(run, after);
    return new CreateHookOutcome.Owned(created, after, left);
  }
}
