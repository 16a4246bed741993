package dev.hapax.domain.janitor;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface JanitorReads {
  int MAX_PER_WORKSPACE = 1_000;

  CompletableFuture<Optional<Janitor>> find(JanitorId id);

  /** All of all workspaces. */
  CompletableFuture<List<JanitorStatus>> list();

  /**
   * A part of those of a workspace, by module; less than asked for, where that would be large.
   *
   * @param after the module before the first; empty = from the beginning
   */
  CompletableFuture<Page<JanitorStatus, String>> list(
      Workspace workspace, int size, Optional<String> after);

  /**
   * Whether it is there, or may come. Of several who ask at once each is told the same, so that a
   * few more may come than there is room for.
   */
  CompletableFuture<Boolean> hasRoom(JanitorId id);

  /**
   * A janitor and how it does.
   *
   * @param at by the database's clock
   */
  record JanitorStatus(JanitorId id, Janitor janitor, Optional<SweepRound> last, Instant at) {
    /** When it last looked and something came of it, or when it was declared. */
    public Instant since() {
      return janitor.since(last);
    }

    /** The same, seen that much later, while nobody knows more. */
    public JanitorStatus after(Duration time) {
      return new JanitorStatus(id, janitor, last, at.plus(time));
    }

    /** Whether it is late; one that nobody relies on cannot be. */
    public boolean isOverdue() {
      return relied().filter(contract -> contract.isOverdue(since(), at)).isPresent();
    }

    /** Of a module whose lifecycles claim nothing any more no entity can be stuck. */
    private Optional<JanitorContract> relied() {
      return janitor.contract().filter(_ -> !janitor.demands().isEmpty());
    }

    /** How late it is, if it is; nothing = it is not, or nobody relies on it. */
    public Duration lag() {
      return relied()
          .map(contract -> contract.lag(since(), at))
          .filter(Duration::isPositive)
          .orElse(Duration.ZERO);
    }
  }
}
