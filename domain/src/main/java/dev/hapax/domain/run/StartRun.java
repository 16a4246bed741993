package dev.hapax.domain.run;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Starts a run, unless its key leads to one.
 *
 * @param run drawn for the run this command may create
 * @param startAt when it may begin; empty = at once
 */
public record StartRun(
    RunId run,
    Definition definition,
    Payload input,
    Map<String, String> labels,
    Optional<Instant> startAt,
    Optional<Key> key,
    By by)
    implements RunCommand<StartOutcome> {

  /**
   * The idempotency key.
   *
   * @param retention how long it leads to the run, from its start; at least until the run ends
   * @param earlier the run it was found to lead to, if its memory may be over
   */
  public record Key(RunKeyId id, Fingerprint request, Duration retention, Optional<RunId> earlier) {
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(30);
    public static final Duration MAX_RETENTION = Duration.ofDays(365);

    public Key {
      requireRetention(retention);
    }

    public static Duration requireRetention(Duration retention) {
      if (retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
        throw new InvalidValueException("must be between 0 and 365 days");
      }
      return retention;
    }
  }

  /** The same, once it is known which run the key led to. */
  public StartRun knowing(RunId earlier) {
    return new StartRun(
        run,
        definition,
        input,
        labels,
        startAt,
        key.map(k -> new Key(k.id(), k.request(), k.retention(), Optional.of(earlier))),
        by);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return key.<Collection<? extends RecordKey<?>>>map(
            k -> Stream.concat(Stream.of(k.id(), run), k.earlier().stream()).toList())
        .orElse(List.of(run));
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return SIZE + input.size();
  }

  @Override
  public StartOutcome decide(World world, Instant now) {
    return key.flatMap(k -> world.get(k.id()).flatMap(bound -> bound(world, now, k, bound)))
        .orElseGet(() -> create(world, now));
  }

  /** What the key leads to; empty = it has been forgotten. */
  private Optional<StartOutcome> bound(World world, Instant now, Key sent, RunKey bound) {
    if (!now.isBefore(bound.expiresAt())) {
      if (!sent.earlier().equals(Optional.of(bound.run()))) {
        return Optional.of(new StartOutcome.KnowFirst(bound.run()));
      }
      if (world.get(bound.run()).filter(earlier -> !earlier.hasEnded()).isEmpty()) {
        return Optional.empty();
      }
    }
    return Optional.of(
        bound.request().equals(sent.request())
            ? new StartOutcome.Existing(bound.run())
            : new StartOutcome.KeyReused(bound.run()));
  }

  private StartOutcome create(World world, Instant now) {
    var remembered = key.map(k -> now.plus(k.retention())).orElse(now);
    key.ifPresent(k -> world.put(k.id(), new RunKey(run, k.request(), remembered)));
    var origin = new Origin(input, labels, now, startAt.orElse(now), remembered);
    var created = new Onward(now).go(Run.created(run, definition, origin, by));
    world.put(run, created);
    return new StartOutcome.Created(created);
  }
}
