package dev.hapax.domain.ledger;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * A deterministic decision: given the same records and time it has the same outcome, so that the
 * ledger may repeat it. Random ids, nonces and jitter are part of the command.
 *
 * @param <O> the outcome; a lost race is an outcome, never an exception
 */
public interface Command<O> {
  /** The name in metrics and logs. */
  default String commandName() {
    return getClass().getSimpleName();
  }

  Workspace workspace();

  /**
   * The records that the command reads and changes. Every conflicting command must have one of
   * these keys, too.
   */
  Collection<? extends RecordKey<?>> keys();

  /**
   * Those of its keys that it only reads. Commands on several nodes may read a record concurrently;
   * a command that may change it has it exclusively.
   */
  default Collection<? extends RecordKey<?>> reads() {
    return List.of();
  }

  /**
   * Those of its keys whose records cannot exist yet, since their ids are random: the ledger does
   * not look for them. If one exists, the insert of its record fails, and the command is decided
   * again with the records that are stored.
   */
  default Collection<? extends RecordKey<?>> newKeys() {
    return List.of();
  }

  /**
   * Those of its keys that most likely have no record, and get one by this command. The ledger may
   * decide on that guess, and decides again on what is stored if the guess is wrong, or if the
   * decision gives the key no record.
   */
  default Collection<? extends RecordKey<?>> idempotencyKeys() {
    return List.of();
  }

  /**
   * Commands with equal routes go to the same batch of a node; conflicting commands should have
   * equal routes.
   */
  default Object route() {
    return workspace();
  }

  /** The queue that the command joins when the ledger is busy. */
  Urgency urgency();

  /** The approximate memory of the command in bytes, used to limit the queue. */
  int size();

  /**
   * Decides the outcome. {@code now} is the database's time, read after all records were locked.
   */
  O decide(BatchRecords records, Instant now);

  /** The priority of commands when the ledger is busy. */
  enum Urgency {
    /** The command ends or renews work that has begun; high priority. */
    FINISH,
    /** The command begins new work; low priority, with a guaranteed share. */
    START
  }
}
