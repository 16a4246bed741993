package dev.hapax.domain.ledger;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * A decision that can be repeated: given the same records and the same time it comes to the same
 * outcome. Ids, nonces and jitter are drawn before a command is made and are part of it.
 *
 * @param <O> the outcome; losing a race is one, never an exception
 */
public interface Command<O> {
  /** The name in metrics and logs. */
  default String commandName() {
    return getClass().getSimpleName();
  }

  Workspace workspace();

  /** The records it reads and changes. Every rival of this decision must name one of them too. */
  Collection<? extends RecordKey<?>> keys();

  /**
   * Those of its keys that it never changes. Many commands may read a record at once, on several
   * nodes too; who may change it has it alone.
   */
  default Collection<? extends RecordKey<?>> reads() {
    return List.of();
  }

  /** Commands with equal routes meet in one batch of a node; rivals should have one route. */
  default Object route() {
    return workspace();
  }

  /** How it queues when the ledger is busy. */
  Urgency urgency();

  /** What it holds in memory, in bytes, near enough to bound a queue with. */
  int size();

  /** Decides. {@code now} is the database's time, read after all records were locked. */
  O decide(World world, Instant now);

  /** Which commands may overtake which when the ledger is busy. */
  enum Urgency {
    /** Ends or keeps alive what has begun; goes first. */
    FINISH,
    /** Begins something new; keeps a share. */
    START
  }
}
