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
 * A simulated client that begins operations and ends its claims: once or repeatedly, in time or too
 * late.
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

  /** A call with a claim; a repeated call creates an equal command. */
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
    var random = simulation.random();
    if (attempts.isEmpty() || random.chance(0.25)) {
      attempts.add(new Attempt(requests.begin()));
      begin(attempts.getLast());
      return;
    }
    var recent = random.below(Math.min(attempts.size(), REMEMBERED));
    var attempt = attempts.get(attempts.size() - 1 - recent);
    if (attempt.claims.isEmpty() || random.chance(0.2)) {
      begin(attempt);
    } else {
      use(attempt);
    }
  }

  private void begin(Attempt attempt) {
    var wait = requests.waitTime();
    var server = simulation.random().pick(servers);
    trace(attempt.begin.id(), "sends %s, waits %s", attempt.begin.command(0), wait);
    simulation
        .network()
        .call(
            server.node(),
            () -> server.begin(attempt.begin.command(simulation.random().number()), wait),
            outcome -> began(attempt, outcome));
  }

  private void began(Attempt attempt, BeginOutcome outcome) {
    trace(attempt.begin.id(), "receives %s", outcome);
    if (outcome instanceof BeginOutcome.Acquired acquired
        && !attempt.claims.contains(acquired.claim())) {
      attempt.claims.add(acquired.claim());
    }
  }

  private void use(Attempt attempt) {
    var random = simulation.random();
    var verb = attempt.last.filter(_ -> random.chance(0.5)).orElseGet(() -> verb(attempt));
    attempt.last = Optional.of(verb);
    var held = random.pick(attempt.claims);
    var claim = random.chance(0.03) ? forged(held) : held;
    var server = random.pick(servers);
    trace(claim.id(), "sends %s", verb.with(claim));
    simulation
        .network()
        .call(
            server.node(),
            () -> submit(server, verb.with(claim)),
            outcome -> trace(claim.id(), "receives %s", outcome));
  }

  private static <O> CompletableFuture<O> submit(OperationServer server, Command<O> command) {
    return server.submit(command);
  }

  private Verb verb(Attempt attempt) {
    var random = simulation.random();
    return switch (random.below(8)) {
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
            Optional.of(random.pick("bob", "eve"))
                .filter(_ -> attempt.begin.key().accountChanging() && random.chance(0.7));
        yield claim -> new CompleteOperation(claim, result, after);
      }
    };
  }

  private static Verb failing(FailOperation.Verdict verdict) {
    return claim -> new FailOperation(claim, verdict);
  }

  /** A claim with the right id, but a wrong nonce or fence. */
  private OperationClaim forged(OperationClaim claim) {
    return simulation.random().chance(0.5)
        ? new OperationClaim(claim.id(), claim.nonce() + 1, claim.fence())
        : new OperationClaim(claim.id(), claim.nonce(), new Fence(claim.fence().value() - 1));
  }

  private void trace(OperationId about, String format, Object... what) {
    simulation.trace().add(about, name, () -> OperationWords.format(format, what));
  }
}
