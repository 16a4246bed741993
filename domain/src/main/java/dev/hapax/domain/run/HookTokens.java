package dev.hapax.domain.run;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What a run took from others, and lost to them: hook tokens, and its idempotency key.
 *
 * @param supersedes the last run that lost a token to this run
 * @param supersededBy the run that took the key of this run, or else the last one that took a token
 * @param keyLost whether another run took its key: it is never continued
 * @param retention the longest retention of its tokens after its end
 * @param awaited the tokens for which it waits in line, or waited when it ended; it then owns none
 * @param marks hashes of the tokens whose lines may have runs behind this one: its end passes their
 *     turns. They are never removed
 */
public record HookTokens(
    Optional<RunId> supersedes,
    Optional<RunId> supersededBy,
    boolean keyLost,
    Duration retention,
    List<AwaitedToken> awaited,
    SortedSet<UUID> marks) {
  static final HookTokens NONE =
      new HookTokens(Optional.empty(), Optional.empty(), false, Duration.ZERO);

  public HookTokens {
    if (keyLost && supersededBy.isEmpty()) {
      throw new IllegalArgumentException("another run must have the lost key");
    }
    awaited = List.copyOf(awaited);
    marks = Collections.unmodifiableSortedSet(new TreeSet<>(marks));
  }

  /** Tokens that no run has waited for. */
  public HookTokens(
      Optional<RunId> supersedes,
      Optional<RunId> supersededBy,
      boolean keyLost,
      Duration retention) {
    this(supersedes, supersededBy, keyLost, retention, List.of(), Collections.emptySortedSet());
  }

  /** Whether the run waits for these tokens, or waited for them when it ended. */
  public boolean isAwaiting() {
    return !awaited.isEmpty();
  }

  HookTokens withToken(Duration kept, Optional<RunId> from) {
    return new HookTokens(
        from.or(() -> supersedes),
        supersededBy,
        keyLost,
        kept.compareTo(retention) > 0 ? kept : retention,
        awaited,
        marks);
  }

  /** A run that takes a token does not hide the run that has the key. */
  HookTokens withSuccessor(RunId next, boolean byKey) {
    return keyLost && !byKey
        ? this
        : new HookTokens(supersedes, Optional.of(next), byKey, retention, awaited, marks);
  }

  HookTokens awaiting(List<AwaitedToken> tokens) {
    return new HookTokens(supersedes, supersededBy, keyLost, retention, tokens, marks)
        .marked(tokens.stream().map(AwaitedToken::hash).toList());
  }

  HookTokens admitted() {
    return new HookTokens(supersedes, supersededBy, keyLost, retention, List.of(), marks);
  }

  HookTokens marked(Collection<UUID> lines) {
    var all = new TreeSet<>(marks);
    all.addAll(lines);
    return new HookTokens(supersedes, supersededBy, keyLost, retention, awaited, all);
  }
}
