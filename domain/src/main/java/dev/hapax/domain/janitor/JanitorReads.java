package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface JanitorReads {
  CompletableFuture<Optional<Janitor>> find(JanitorId id);

  /** All of a workspace, or of all of them: there are few. */
  CompletableFuture<List<Watched>> list(Optional<Workspace> workspace);

  /**
   * A janitor and how it does.
   *
   * @param at by the database's clock
   */
  record Watched(JanitorId id, Janitor janitor, Optional<Round> last, Instant at) {
    /** When it last looked and something came of it, or when it was declared. */
    public Instant since() {
      return janitor.since(last);
    }

    /** The same, seen that much later, while nobody knows more. */
    public Watched after(Duration time) {
      return new Watched(id, janitor, last, at.plus(time));
    }

    /** Whether it is late; one that has promised nothing cannot be. */
    public boolean isOverdue() {
      return janitor.contract().filter(contract -> contract.isOverdue(since(), at)).isPresent();
    }

    /** How late it is, if it is; nothing = it is not, or has promised nothing. */
    public Duration lag() {
      return janitor
          .contract()
          .map(contract -> contract.lag(since(), at))
          .filter(Duration::isPositive)
          .orElse(Duration.ZERO);
    }
  }
}
