package dev.hapax.testkit.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Combines several commands on one record into one, so that they are always decided in one batch.
 */
public record CombinedCommands(List<Command<?>> commands) implements Command<List<Object>> {

  public static CombinedCommands of(Command<?>... commands) {
    return new CombinedCommands(List.of(commands));
  }

  @Override
  public Workspace workspace() {
    return commands.getFirst().workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return commands.getFirst().keys();
  }

  @Override
  public Object route() {
    return commands.getFirst().route();
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return commands.stream().mapToInt(Command::size).sum();
  }

  @Override
  public List<Object> decide(BatchRecords records, Instant now) {
    return commands.stream().<Object>map(command -> command.decide(records, now)).toList();
  }
}
