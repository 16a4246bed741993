package dev.hapax.domain.hook;

import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A token and its owner: a run that has not ended, or one within the token's retention.
 *
 * @param hook the record of the token
 */
record TokenOwner(Hook hook, Run owner) {
  /** Finds the owner of a token, and locks the run that the token names; empty = it is free. */
  static Optional<TokenOwner> of(HookId id, BatchRecords records, Instant now) {
    return of(id, List::of, records, now);
  }

  /**
   * The same for a decision that needs more records of the owner.
   *
   * @param needed the run and those records, which are locked at the same time
   */
  static Optional<TokenOwner> of(
      HookId id,
      Function<RunId, Collection<? extends RecordKey<?>>> needed,
      BatchRecords records,
      Instant now) {
    return records
        .get(id)
        .flatMap(
            hook -> {
              records.lock(needed.apply(hook.run()));
              return of(hook, records, now);
            });
  }

  private static Optional<TokenOwner> of(Hook hook, BatchRecords records, Instant now) {
    return records
        .get(hook.run())
        .filter(owner -> hook.isOwnedBy(owner, now))
        .map(owner -> new TokenOwner(hook, owner));
  }
}
