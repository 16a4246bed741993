package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Delivers a signal to a run exactly once, or buffers it in the inbox.
 *
 * @param hook the token through which it arrived; empty = it was sent to the run itself
 */
public record SignalRun(
    SignalId signal, String type, Optional<SourceHook> hook, Optional<Payload> payload, Actor actor)
    implements RunCommand<SignalOutcome> {

  @Override
  public RunId run() {
    return signal.run();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(signal.run(), signal);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return SIZE + payload.map(Payload::size).orElse(0);
  }

  @Override
  public SignalOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(signal.run());
    if (found.isEmpty()) {
      return new SignalOutcome.NotFound();
    }
    var run = found.get();
    if (records.get(signal).isPresent()) {
      return new SignalOutcome.Accepted(run, SignalDisposition.DUPLICATE);
    }
    if (run.hasEnded()) {
      return new SignalOutcome.RunEnded(run.status());
    }
    if (run.version() >= Run.MAX_EVENTS) {
      return new SignalOutcome.Full(false);
    }
    return receive(records, now, run);
  }

  private SignalOutcome receive(BatchRecords records, Instant now, Run run) {
    var change = new RunChange.SignalReceived(signal.id(), type, hook, payload);
    var received = run.then(change, now, actor);
    var kept = new Signal(received.version(), type, hook, false);
    // older signals come first: until the inbox is checked, a newer signal is only buffered
    var awaited =
        run.phase() instanceof Phase.Waiting waiting
            && !waiting.inboxUnchecked()
            && waiting.awaits(type, hook);
    var after =
        awaited ? new RunProgression(now).deliver(received, signal.id(), payload) : received;
    // a signal that is consumed at once needs no room
    if (after.inbox().isOverfull()) {
      return new SignalOutcome.Full(true);
    }
    records.put(
        signal,
        after.inbox().unconsumed() < received.inbox().unconsumed() ? kept.asConsumed() : kept);
    records.put(run.id(), after);
    return new SignalOutcome.Accepted(
        after, awaited ? SignalDisposition.DELIVERED : SignalDisposition.BUFFERED);
  }
}
