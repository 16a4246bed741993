package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Retries a failed run, and takes back every hook token it owned when it failed.
 *
 * @param version of the run when its tokens were read
 * @param tokens that it owned
 */
public record RetryRunWithHooks(RetryRun retry, long version, List<Held> tokens)
    implements Command<RetryOutcome> {

  /** A token that a run acquired and did not dispose of. */
  public record Held(HookId hook, String name, Duration retention) {}

  public RetryRunWithHooks {
    tokens = List.copyOf(tokens);
  }

  @Override
  public Workspace workspace() {
    return retry.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.<RecordKey<?>>concat(
            Stream.of(retry.run()), tokens.stream().map(Held::hook).distinct())
        .toList();
  }

  @Override
  public RunId route() {
    return retry.run();
  }

  @Override
  public Urgency urgency() {
    return retry.urgency();
  }

  @Override
  public int size() {
    return retry.size() * (1 + tokens.size());
  }

  @Override
  public RetryOutcome decide(BatchRecords records, Instant now) {
    var run =
        records
            .get(retry.run())
            .filter(found -> found.status() == RunStatus.FAILED)
            .filter(found -> ControlOutcome.isExpected(found, retry.expectedVersion()));
    if (run.filter(found -> found.version() != version).isPresent()) {
      return new RetryOutcome.Outdated();
    }
    if (run.isPresent()) {
      for (var token : tokens) {
        var obstacle = obstacle(records, now, token.hook());
        if (obstacle.isPresent()) {
          return obstacle.get();
        }
      }
    }
    var outcome = retry.decide(records, now);
    if (run.isPresent() && outcome instanceof ControlOutcome.Applied) {
      tokens.forEach(token -> takeBack(records, now, token));
    }
    return new RetryOutcome.Decided(outcome);
  }

  private Optional<RetryOutcome> obstacle(BatchRecords records, Instant now, HookId hook) {
    return TokenOwner.of(hook, records, now)
        .map(TokenOwner::owner)
        .filter(owner -> !owner.id().equals(retry.run()))
        .map(owner -> new RetryOutcome.Conflict(hook, owner));
  }

  private void takeBack(BatchRecords records, Instant now, Held token) {
    var last = records.get(token.hook());
    if (last.filter(hook -> hook.run().equals(retry.run())).isEmpty()) {
      records.put(
          token.hook(),
          new Hook(retry.run(), token.name(), now, token.retention(), Optional.empty()));
    }
  }
}
