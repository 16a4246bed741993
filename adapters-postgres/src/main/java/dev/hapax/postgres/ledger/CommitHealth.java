package dev.hapax.postgres.ledger;

import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Since when the database takes no commits of one committer, logged once. Thread-safe to read. */
final class CommitHealth {
  private static final Logger LOG = LoggerFactory.getLogger(CommitHealth.class);

  private volatile OptionalLong failingSinceNanos = OptionalLong.empty();

  /** The database has taken a commit. */
  void committed() {
    if (failingSinceNanos.isPresent()) {
      failingSinceNanos = OptionalLong.empty();
      LOG.info("the database accepts commands again");
    }
  }

  /** The database was not reached, or has refused a commit. */
  void failed(SQLException cause) {
    if (failingSinceNanos.isEmpty()) {
      failingSinceNanos = OptionalLong.of(System.nanoTime());
      LOG.warn("the database does not take commands: {}", cause.getMessage());
    }
  }

  boolean isFailing() {
    return failingSinceNanos.isPresent();
  }

  /** Whether it has taken none for this time, at least. */
  boolean isFailingFor(Duration time) {
    var since = failingSinceNanos;
    return since.isPresent() && System.nanoTime() - since.getAsLong() >= time.toNanos();
  }
}
