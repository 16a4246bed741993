package dev.hapax.domain.ledger;

import dev.hapax.domain.Workspace;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * A command, and records that others led it to.
 *
 * @param also those records
 * @param alsoReads those of them that it only reads
 */
record WidenedCommand<O>(Command<O> command, Set<RecordKey<?>> also, Set<RecordKey<?>> alsoReads)
    implements Command<O> {
  @Override
  public String commandName() {
    return command.commandName();
  }

  @Override
  public Workspace workspace() {
    return command.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return union(command.keys(), also);
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return union(command.reads(), alsoReads);
  }

  @Override
  public Collection<? extends RecordKey<?>> newKeys() {
    return command.newKeys();
  }

  @Override
  public Collection<? extends RecordKey<?>> idempotencyKeys() {
    return command.idempotencyKeys();
  }

  private static Set<RecordKey<?>> union(
      Collection<? extends RecordKey<?>> named, Set<RecordKey<?>> more) {
    var all = new HashSet<RecordKey<?>>(named);
    all.addAll(more);
    return all;
  }

  @Override
  public Object route() {
    return command.route();
  }

  @Override
  public Urgency urgency() {
    return command.urgency();
  }

  @Override
  public int size() {
    return command.size();
  }

  @Override
  public O decide(BatchRecords records, Instant now) {
    return command.decide(records, now);
  }
}
