package dev.hapax.domain.janitor;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads janitors without locks; every acknowledged write is visible. */
public interface JanitorReads {
  int MAX_PER_WORKSPACE = 1_000;

  CompletableFuture<Optional<Janitor>> find(JanitorId id);

  /** Lists the janitors of all workspaces. */
  CompletableFuture<List<JanitorStatus>> list();

  /**
   * Lists the janitors of a workspace by module; a page may end early to limit its size.
   *
   * @param after the last module of the previous page; empty = the first page
   */
  CompletableFuture<Page<JanitorStatus, String>> list(
      Workspace workspace, int size, Optional<String> after);

  /**
   * Counts the janitors of a workspace, up to the limit. Concurrent callers may get the same
   * answer, so the limit can be exceeded slightly.
   */
  CompletableFuture<Integer> count(Workspace workspace);

  /**
   * A janitor with its last sweep round.
   *
   * @param at the time of the read, by the database's clock
   */
  record JanitorStatus(JanitorId id, Janitor janitor, Optional<SweepRound> last, Instant at) {
    /** The time of the last successful sweep, or of the declaration. */
    public Instant since() {
      return janitor.since(last, at);
    }

    /** This status that much later, without a new sweep. */
    public JanitorStatus after(Duration time) {
      return new JanitorStatus(id, janitor, last, at.plus(time));
    }

    /** Whether the janitor is overdue; without required claim states it never is. */
    public boolean isOverdue() {
      return neededContract().filter(contract -> contract.isOverdue(since(), at)).isPresent();
    }

    /** Without required claim states no entity can be stuck. */
    private Optional<JanitorContract> neededContract() {
      return janitor.contract().filter(_ -> !janitor.demands().isEmpty());
    }

    /**
     * The time by which the janitor is late; zero = it is on schedule, or no lifecycle needs it.
     */
    public Duration lag() {
      return neededContract()
          .map(contract -> contract.lag(since(), at))
          .filter(Duration::isPositive)
          .orElse(Duration.ZERO);
    }
  }
}
