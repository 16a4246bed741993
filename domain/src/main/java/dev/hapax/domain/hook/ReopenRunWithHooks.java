package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ReopenRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Retries or settles a failed run, and takes back every hook token it owned when it failed. A run
 * that waited for its tokens then goes to the end of their lines.
 *
 * @param version of the run when its tokens were read
 * @param tokens that it owned
 */
public record ReopenRunWithHooks(ReopenRun command, long version, List<Held> tokens)
    implements Command<ReopenOutcome> {

  /** A token that a run acquired and did not dispose of. */
  public record Held(HookId hook, String name, Duration retention) {}

  public ReopenRunWithHooks {
    tokens = List.copyOf(tokens);
  }

  @Override
  public Workspace workspace() {
    return command.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.<RecordKey<?>>concat(
            Stream.of(command.run()), tokens.stream().map(Held::hook).distinct())
        .toList();
  }

  @Override
  public RunId route() {
    return command.run();
  }

  @Override
  public Urgency urgency() {
    return command.urgency();
  }

  @Override
  public int size() {
    return command.size() * (1 + tokens.size());
  }

  @Override
  public ReopenOutcome decide(BatchRecords records, Instant now) {
    var run =
        records
            .get(command.run())
            .filter(Run::isReopenable)
            .filter(found -> ControlOutcome.isExpected(found, command.expectedVersion()));
    if (run.filter(found -> found.version() != version).isPresent()) {
      return new ReopenOutcome.Outdated();
    }
    if (run.isPresent()) {
      for (var token : tokens) {
        var obstacle = obstacle(records, now, token.hook());
        if (obstacle.isPresent()) {
          return obstacle.get();
        }
      }
    }
    var outcome = command.decide(records, now);
    return new ReopenOutcome.Decided(
        run.isPresent()
                && outcome instanceof ControlOutcome.Applied(var reopened, _)
                && !reopened.hasEnded()
            ? new ControlOutcome.Applied(withTokens(records, now, reopened), false)
            : outcome);
  }

  private Run withTokens(BatchRecords records, Instant now, Run reopened) {
    if (reopened.tokens().isAwaiting()) {
      return Lines.of(workspace(), reopened.tokens().awaited(), records, now).join(reopened);
    }
    var lines = new ArrayList<UUID>();
    for (var token : tokens) {
      takeBack(records, now, token);
      lines.addAll(records.get(token.hook()).orElseThrow().line(token.hook()));
    }
    var after = reopened.marked(lines);
    records.put(after.id(), after);
    return after;
  }

  private Optional<ReopenOutcome> obstacle(BatchRecords records, Instant now, HookId hook) {
    return TokenOwner.of(hook, records, now)
        .map(TokenOwner::owner)
        .filter(owner -> !owner.id().equals(command.run()))
        .map(owner -> new ReopenOutcome.Conflict(hook, owner));
  }

  private void takeBack(BatchRecords records, Instant now, Held token) {
    var last = records.get(token.hook());
    if (last.filter(hook -> hook.run().equals(command.run())).isEmpty()) {
      records.put(token.hook(), Hook.of(last, command.run(), token.name(), token.retention(), now));
    }
  }
}
