package dev.hapax.domain.hook;

import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Run;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A token and its owner, which may have ended and be kept for the token's retention.
 *
 * @param hook as the owner holds it
 */
record Ownership(Hook hook, Run owner) {
  /** Locks the run that the token leads to; empty = the token is free. */
  static Optional<Ownership> of(HookId id, World world, Instant now) {
    return world.get(id).flatMap(hook -> of(hook, world, now));
  }

  private static Optional<Ownership> of(Hook hook, World world, Instant now) {
    world.lock(List.of(hook.run()));
    return world
        .get(hook.run())
        .filter(owner -> hook.isOwnedBy(owner, now))
        .map(owner -> new Ownership(hook, owner));
  }
}
