package dev.hapax.domain.hook;

import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Whose a token is. */
sealed interface Ownership {
  record Free() implements Ownership {}

  /** The owner may have ended, and be kept for the token's retention. */
  record Owned(Hook hook, Run owner) implements Ownership {}

  /** That depends on this run, which was not locked. */
  record Unknown(RunId run) implements Ownership {}

  /**
   * Whose it is now.
   *
   * @param known the run that was locked because it was found to be the owner
   */
  static Ownership of(HookId id, Optional<RunId> known, World world, Instant now) {
    return of(id, known.map(Set::of).orElseGet(Set::of), world, now);
  }

  /**
   * The same.
   *
   * @param known the runs that were locked because each was found to be the owner
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
