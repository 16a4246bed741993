package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Begins, and ends what it has been granted, once or again, in time or too late. Never throws a
 * claim away.
 */
final class OperationClient implements SimulatedActor {
  private static final int REMEMBERED = 4;
  private final String name;
  private final Simulation<?> simulation;
  private final List<OperationServer> servers;
  private final Requests requests;
  private final List<Attempt> attempts = new ArrayList<>();

  OperationClient(
      String name, Simulation<?> simulation, List<OperationServer> servers, Requests requests) {
    this.name = name;
    this.simulation = simulation;
    this.servers = servers;
    this.requests = requests;
  }

  /** What is done with a claim; the same verb makes the same command each time it arrives. */
  private interface Verb {
    Command<?> with(OperationClaim claim);
  }

  private static final class Attempt {
    private final Requests.Begin begin;
    private final List<OperationClaim> claims = new ArrayList<>();
    private Optional<Verb> last = Optional.empty();

    Attempt(Requests.Begin begin) {
      this.begin = begin;
    }
  }

  @Override
  public void act() {
    var dice = simulation.dice();
    if (attempts.isEmpty() || dice.chance(0.25)) {
      attempts.add(new Attempt(requests.begin()));
      begin(attempts.getLast());
      return;
    }
    var recent = dice.below(Math.min(attempts.size(), REMEMBERED));
    var attempt = attempts.get(attempts.size() - 1 - recent);
    if (attempt.claims.isEmpty() || dice.chance(0.2)) {
      begin(attempt);
    } else {
      use(attempt);
    }
  }

  private void begin(Attempt attempt) {
    var patience = requests.patience();
    var server = simulation.dice().pick(servers);
    say(attempt.begin.id(), "sends %s, waits %s", attempt.begin.command(0), patience);
    simulation
        .wire()
        .call(
            server.node(),
            () -> server.begin(attempt.begin.command(simulation.dice().number()), patience),
            outcome -> began(attempt, outcome));
  }

  private void began(Attempt attempt, BeginOutcome outcome) {
    say(attempt.begin.id(), "hears %s", outcome);
    if (outcome instanceof BeginOutcome.Acquired acquired
        && !attempt.claims.contains(acquired.claim())) {
      attempt.claims.add(acquired.claim());
    }
  }

  private void use(Attempt attempt) {
    var dice = simulation.dice();
    var verb = attempt.last.filter(_ -> dice.chance(0.5)).orElseGet(() -> verb(attempt));
    attempt.last = Optional.of(verb);
    var held = dice.pick(attempt.claims);
    var claim = dice.chance(0.03) ? forged(held) : held;
    var server = dice.pick(servers);
    say(claim.id(), "sends %s", verb.with(claim));
    simulation
        .wire()
        .call(
            server.node(),
            () -> submit(server, verb.with(claim)),
            outcome -> say(claim.id(), "hears %s", outcome));
  }

  private static <O> CompletableFuture<O> submit(OperationServer server, Command<O> command) {
    return server.submit(command);
  }

  private Verb verb(Attempt attempt) {
    var dice = simulation.dice();
    return switch (dice.below(8)) {
      case 0 -> failing(new FailOperation.Verdict.Final(requests.failure()));
      case 1 -> failing(new FailOperation.Verdict.UnknownEffect(Optional.empty()));
      case 2 -> failing(new FailOperation.Verdict.Retryable(Optional.of(requests.failure())));
      case 3 -> failing(new FailOperation.Verdict.Retryable(Optional.empty()));
      case 4, 5 -> {
        var lease = requests.lease();
        yield claim -> new RenewOperation(claim, lease);
      }
      default -> {
        var result = requests.result();
        var after =
            Optional.of(dice.pick("bob", "eve"))
                .filter(_ -> attempt.begin.key().accountChanging() && dice.chance(0.7));
        yield claim -> new CompleteOperation(claim, result, after);
      }
    };
  }

  private static Verb failing(FailOperation.Verdict verdict) {
    return claim -> new FailOperation(claim, verdict);
  }

  /** The right id with half of a proof. */
  private OperationClaim forged(OperationClaim claim) {
    return simulation.dice().chance(0.5)
        ? new OperationClaim(claim.id(), claim.nonce() + 1, claim.fence())
        : new OperationClaim(claim.id(), claim.nonce(), new Fence(claim.fence().value() - 1));
  }

  private void say(OperationId about, String format, Object... what) {
    simulation.trace().add(about, name, () -> OperationWords.format(format, what));
  }
}
