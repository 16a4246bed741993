package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts a run that owns a token from its first moment, or does what the policy says.
 *
 * @param before the run that was found before {@code start.known()} was: the key may lead to one
 *     run and the token to another
 */
public record StartOwner(
    StartRun start,
    HookId hook,
    Duration retention,
    ConflictPolicy onConflict,
    Optional<RunId> before)
    implements Command<StartOutcome> {
  public StartOwner(StartRun start, HookId hook, Duration retention, ConflictPolicy onConflict) {
    this(start, hook, retention, onConflict, Optional.empty());
  }

  public StartOwner {
    Hook.requireRetention(retention);
    if (onConflict instanceof ConflictPolicy.SignalExisting && start.signal().isEmpty()) {
      throw new IllegalArgumentException("there is no signal to send");
    }
  }

  /** The same, once it is known which run the key or the token led to. */
  public StartOwner knowing(RunId found) {
    return new StartOwner(start.knowing(found), hook, retention, onConflict, start.known());
  }

  private Set<RunId> known() {
    return Stream.concat(start.known().stream(), before.stream()).collect(Collectors.toSet());
  }

  @Override
  public Workspace workspace() {
    return start.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.of(start.keys().stream(), Stream.of(hook), before.stream(), signalsToOwner())
        .<RecordKey<?>>flatMap(keys -> keys)
        .distinct()
        .toList();
  }

  private Stream<SignalId> signalsToOwner() {
    return onConflict instanceof ConflictPolicy.SignalExisting
        ? known().stream().map(owner -> new SignalId(owner, start.signal().orElseThrow().id()))
        : Stream.empty();
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return start.reads();
  }

  /** Rivals meet at the token. */
  @Override
  public HookId route() {
    return hook;
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return start.size();
  }

  @Override
  public StartOutcome decide(World world, Instant now) {
    return start
        .bound(world, now, known())
        .or(() -> start.outdated(world))
        .orElseGet(() -> compete(world, now));
  }

  private StartOutcome compete(World world, Instant now) {
    return switch (Ownership.of(hook, known(), world, now)) {
      case Ownership.Free() -> new StartOutcome.Created(create(world, now, Optional.empty()));
      case Ownership.Unknown(var run) -> new StartOutcome.KnowFirst(run);
      case Ownership.Owned(_, var owner) -> meet(world, now, owner);
    };
  }

  private StartOutcome meet(World world, Instant now, Run owner) {
    return switch (onConflict) {
      case ConflictPolicy.Reject() -> new StartOutcome.Rejected(owner);
      case ConflictPolicy.UseExisting() -> {
        start.bindTo(world, now, owner);
        yield new StartOutcome.UsedExisting(owner);
      }
      case ConflictPolicy.SignalExisting() -> signal(world, now, owner);
      case ConflictPolicy.Supersede supersede ->
          supersede.isFor(owner) ? supersede(world, now, owner) : new StartOutcome.Rejected(owner);
    };
  }

  private StartOutcome signal(World world, Instant now, Run owner) {
    if (owner.hasEnded()) {
      return new StartOutcome.Rejected(owner);
    }
    if (!known().contains(owner.id())) {
      // its signals are not locked
      return new StartOutcome.KnowFirst(owner.id());
    }
    return switch (start.signal().orElseThrow().to(owner.id(), start.by()).decide(world, now)) {
      case SignalOutcome.Accepted(var run, var disposition) -> {
        start.bindTo(world, now, run);
        yield new StartOutcome.Signalled(run, disposition);
      }
      case SignalOutcome.Full full -> new StartOutcome.SignalRefused(owner, full);
      case SignalOutcome.NotFound _, SignalOutcome.RunEnded _ ->
          throw new IllegalStateException("it is there, and has not ended");
    };
  }

  private StartOutcome supersede(World world, Instant now, Run owner) {
    var left = owner.supersededBy(start.run(), now, start.by());
    world.put(owner.id(), left);
    return new StartOutcome.Superseded(create(world, now, Optional.of(owner.id())), left);
  }

  private Run create(World world, Instant now, Optional<RunId> from) {
    world.put(hook, new Hook(start.run(), now, retention, Optional.empty()));
    return start.create(
        world, now, run -> run.hooked(hook.hash(), retention, from, now, start.by()));
  }
}
