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
 * The effects of hook tokens on a run.
 *
 * @param supersedes the last run that lost a token to this run
 * @param supersededBy the last run that took a token of this run
 * @param retention the longest retention of its tokens after its end
 * @param awaited the tokens for which it waits in line, or waited when it ended; it then owns none
 * @param marks hashes of the tokens whose lines may have runs behind this one: its end passes their
 *     turns. They are never removed
 */
public record HookTokens(
    Optional<RunId> supersedes,
    Optional<RunId> supersededBy,
    Duration retention,
    List<AwaitedToken> awaited,
    SortedSet<UUID> marks) {
  static final HookTokens NONE = new HookTokens(Optional.empty(), Optional.empty(), Duration.ZERO);

  public HookTokens {
    awaited = List.copyOf(awaited);
    marks = Collections.unmodifiableSortedSet(new TreeSet<>(marks));
  }

  /** Tokens that no run has waited for. */
  public HookTokens(Optional<RunId> supersedes, Optional<RunId> supersededBy, Duration retention) {
    this(supersedes, supersededBy, retention, List.of(), Collections.emptySortedSet());
  }

  /** Whether the run waits for these tokens, or waited for them when it ended. */
  public boolean isAwaiting() {
    return !awaited.isEmpty();
  }

  HookTokens withToken(Duration kept, Optional<RunId> from) {
    return new HookTokens(
        from.or(() -> supersedes),
        supersededBy,
        kept.compareTo(retention) > 0 ? kept : retention,
        awaited,
        marks);
  }

  HookTokens withSuccessor(RunId next) {
    return new HookTokens(supersedes, Optional.of(next), retention, awaited, marks);
  }

  HookTokens awaiting(List<AwaitedToken> tokens) {
    return new HookTokens(supersedes, supersededBy, retention, tokens, marks)
        .marked(tokens.stream().map(AwaitedToken::hash).toList());
  }

  HookTokens admitted() {
    return new HookTokens(supersedes, supersededBy, retention, List.of(), marks);
  }

  HookTokens marked(Collection<UUID> lines) {
    var all = new TreeSet<>(marks);
    all.addAll(lines);
    return new HookTokens(supersedes, supersededBy, retention, awaited, all);
  }
}
