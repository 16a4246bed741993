package dev.hapax.domain.hook;

import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** The owner of a hook token, as far as the locked records show it. */
sealed interface Ownership {
  record Free() implements Ownership {}

  /** A run owns the token; it may have ended and be retained. */
  record Owned(Hook hook, Run owner) implements Ownership {}

  /** The owner depends on this run, which is not locked. */
  record Unknown(RunId run) implements Ownership {}

  /**
   * Determines the owner.
   *
   * @param known the locked run, found to be the owner
   */
  static Ownership of(HookId id, Optional<RunId> known, World world, Instant now) {
    return of(id, known.map(Set::of).orElseGet(Set::of), world, now);
  }

  /**
   * Determines the owner.
   *
   * @param known the locked runs, each found to be the owner
   */
  static Ownership of(HookId id, Set<RunId> known, World world, Instant now) {
    var found = world.get(id);
    if (found.isEmpty()) {
      return new Free();
    }
    var hook = found.get();
    if (!known.contains(hook.run()) && !world.holds(hook.run())) {
      return new Unknown(hook.run());
    }
    return world
        .get(hook.run())
        .filter(owner -> hook.isOwnedBy(owner, now))
        .<Ownership>map(owner -> new Owned(hook, owner))
        .orElseGet(Free::new);
  }
}
