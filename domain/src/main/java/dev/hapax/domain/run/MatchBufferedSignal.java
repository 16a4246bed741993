package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Lets a run that began to wait have what its inbox held already.
 *
 * @param version of the run when its inbox was looked through
 * @param found the oldest signal it waits for; empty = there was none
 */
public record MatchBufferedSignal(RunId run, long version, Optional<Found> found)
    implements RunCommand<Optional<Run>> {

  /** A signal, with what it says. */
  public record Found(String signalId, Optional<Payload> payload) {}

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return found
        .<Collection<? extends RecordKey<?>>>map(f -> List.of(run, new SignalId(run, f.signalId())))
        .orElse(List.of(run));
  }

  @Override
  public int size() {
    return SIZE + found.flatMap(Found::payload).map(Payload::size).orElse(0);
  }

  /** The run as it is; empty = there is none. */
  @Override
  public Optional<Run> decide(World world, Instant now) {
    var before = world.get(run);
    if (before.isEmpty()
        || before.get().version() != version
        || !(before.get().phase() instanceof Phase.Waiting waiting && waiting.unsifted())) {
      return before;
    }
    var sifted = before.get().with(waiting.sifted());
    var after = found.map(f -> signalled(world, now, sifted, f)).orElse(sifted);
    world.put(run, after);
    return Optional.of(after);
  }

  private Run signalled(World world, Instant now, Run sifted, Found signal) {
    var after = new RunProgression(now).signalled(sifted, signal.signalId(), signal.payload());
    if (after.inbox().unconsumed() < sifted.inbox().unconsumed()) {
      new ConsumedSignals(run, List.of(signal.signalId())).keep(world);
    }
    return after;
  }
}
