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
 * @param hook the record of the token; of a run that waits, as it will be
 */
record TokenOwner(Hook hook, Run owner) {
  /** Finds the owner of a token, and locks the run that the token names; empty = it has none. */
  static Optional<TokenOwner> of(HookId id, BatchRecords records, Instant now) {
    return of(id, List::of, records, now);
  }

  /** The owner, if it has not ended. A run that waits for the token needs no more. */
  static Optional<Run> living(HookId id, BatchRecords records, Instant now) {
    return of(id, records, now).map(TokenOwner::owner).filter(owner -> !owner.hasEnded());
  }

  /**
   * The run that answers for a token: its owner, or else the first one that waits for it.
   *
   * @param needed the run and the records that the decision needs, which are locked together
   */
  static Optional<TokenOwner> orFirst(
      HookId id,
      Function<RunId, Collection<? extends RecordKey<?>>> needed,
      BatchRecords records,
      Instant now) {
    return of(id, needed, records, now).or(() -> first(id, needed, records));
  }

  private static Optional<TokenOwner> of(
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

  /** The first run that waits for a token, whose record names a run that is locked. */
  static Optional<TokenOwner> first(
      HookId id, Function<RunId, Collection<? extends RecordKey<?>>> needed, BatchRecords records) {
    return records
        .get(id)
        .filter(hook -> hook.turns().waiting() > 0)
        .flatMap(hook -> first(id, hook, needed, records));
  }

  private static Optional<TokenOwner> first(
      HookId id,
      Hook hook,
      Function<RunId, Collection<? extends RecordKey<?>>> needed,
      BatchRecords records) {
    var key = new LineId(id);
    records.lock(List.of(key));
    var line = records.get(key).orElse(Line.EMPTY);
    var last = records.get(hook.run());
    for (var place : line.first()) {
      records.lock(needed.apply(place.run()));
      last = records.get(place.run());
      if (last.filter(run -> place.isOf(id.hash(), run)).isPresent()) {
        return last.map(run -> new TokenOwner(hook.awaitedBy(run, id), run));
      }
    }
    // all that were loaded have left meanwhile: the last of them answers as it was before that
    return line.hasMore()
        ? last.map(run -> new TokenOwner(hook.awaitedBy(run, id), run))
        : Optional.empty();
  }
}
