package dev.hapax.domain.run;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Starts a run, unless its idempotency key already belongs to one.
 *
 * @param run random id of the run that this command may create
 * @param onlyLatest start only if the definition is the latest version
 * @param startAt the earliest time to begin; empty = at once
 * @param signal the first signal in its inbox
 */
public record StartRun(
    RunId run,
    Definition definition,
    boolean onlyLatest,
    RunParameters parameters,
    Optional<Instant> startAt,
    Optional<Key> key,
    Optional<NewSignal> signal,
    Actor actor)
    implements RunCommand<StartOutcome> {
  /** The longest time from the request to {@code startAt}. */
  public static final Duration MAX_DELAY = Duration.ofDays(365);

  /** Starts this version of the definition, even if it is not the latest. */
  public StartRun(
      RunId run,
      Definition definition,
      Payload input,
      Map<String, String> labels,
      Optional<Instant> startAt,
      Optional<Key> key,
      Optional<NewSignal> signal,
      Actor actor) {
    this(run, definition, false, new RunParameters(input, labels), startAt, key, signal, actor);
  }

  /**
   * The idempotency key of a start.
   *
   * @param retention how long the key is kept after the start; at least until the run ends
   */
  public record Key(
      RunKeyId id, Fingerprint request, Duration retention, OnKeyMismatch onMismatch) {
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(30);
    public static final Duration MAX_RETENTION = Duration.ofDays(365);

    public Key {
      requireRetention(retention);
    }

    /** A key whose reuse by a different request is an error. */
    public Key(RunKeyId id, Fingerprint request, Duration retention) {
      this(id, request, retention, OnKeyMismatch.ERROR);
    }

    public static Duration requireRetention(Duration retention) {
      if (retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
        throw new InvalidValueException("must be between 0 and 365 days");
      }
      return retention;
    }
  }

  /** Returns a command that starts this definition, provided it is the latest version. */
  public StartRun ofLatest(Definition latest) {
    return new StartRun(run, latest, true, parameters, startAt, key, signal, actor);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.of(newKeys().stream(), idempotencyKeys().stream(), reads().stream())
        .<RecordKey<?>>flatMap(keys -> keys)
        .toList();
  }

  @Override
  public Collection<RunKeyId> idempotencyKeys() {
    return key.map(Key::id).stream().toList();
  }

  @Override
  public Collection<RecordKey<?>> newKeys() {
    return signal
        .<Collection<RecordKey<?>>>map(s -> List.of(run, new SignalId(run, s.id())))
        .orElse(List.of(run));
  }

  @Override
  public Collection<DefinitionName> reads() {
    return onlyLatest ? List.of(definition.id().withoutVersion()) : List.of();
  }

  /** Concurrent starts with one key go to the same batch. */
  @Override
  public RecordKey<?> route() {
    return key.<RecordKey<?>>map(Key::id).orElse(run);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return SIZE + parameters.input().size() + signal.map(NewSignal::size).orElse(0);
  }

  @Override
  public StartOutcome decide(BatchRecords records, Instant now) {
    return bound(records, now).or(() -> outdated(records)).orElseGet(() -> start(records, now));
  }

  private StartOutcome start(BatchRecords records, Instant now) {
    var replaced = replaced(records, now).map(Run::id);
    var created = create(records, now);
    return StartOutcome.created(created, replaced.flatMap(records::get));
  }

  /**
   * The outcome if the key is in use; empty = no key, it has expired, or this start may take it.
   */
  public Optional<StartOutcome> bound(BatchRecords records, Instant now) {
    return key.flatMap(k -> records.get(k.id()).flatMap(bound -> bound(records, now, k, bound)));
  }

  private Optional<StartOutcome> bound(BatchRecords records, Instant now, Key sent, RunKey bound) {
    if (!now.isBefore(bound.expiresAt())) {
      records.lock(List.of(bound.run()));
      if (records.get(bound.run()).filter(earlier -> !earlier.hasEnded()).isEmpty()) {
        return Optional.empty();
      }
    }
    if (replaced(records, now).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        bound.request().equals(sent.request()) || sent.onMismatch() == OnKeyMismatch.RETURN_EXISTING
            ? new StartOutcome.Existing(bound.run())
            : new StartOutcome.KeyReused(bound.run(), bound.request()));
  }

  /**
   * The run that loses the key to this start: it has failed or was cancelled, and its request was
   * different.
   */
  public Optional<Run> replaced(BatchRecords records, Instant now) {
    return key.filter(sent -> sent.onMismatch() == OnKeyMismatch.RESTART_FAILED)
        .flatMap(
            sent ->
                records
                    .get(sent.id())
                    .filter(bound -> now.isBefore(bound.expiresAt()))
                    .filter(bound -> !bound.request().equals(sent.request())))
        .map(RunKey::run)
        .flatMap(
            earlier -> {
              records.lock(List.of(earlier));
              return records.get(earlier);
            })
        .filter(Run::isRestartable);
  }

  /** The outcome if the definition is outdated; empty = it may be started. */
  public Optional<StartOutcome> outdated(BatchRecords records) {
    if (!onlyLatest) {
      return Optional.empty();
    }
    var name = definition.id().withoutVersion();
    var latest = records.get(name).map(found -> name.version(found.version()));
    return latest.filter(definition.id()::equals).isPresent()
        ? Optional.empty()
        : Optional.of(new StartOutcome.DefinitionOutdated(latest));
  }

  /** Binds the key to the run that answers this request, and returns when the key expires. */
  private Instant bind(BatchRecords records, Instant now, RunId to) {
    replaced(records, now)
        .ifPresent(earlier -> records.put(earlier.id(), earlier.restartedBy(to, now, actor)));
    var remembered = key.map(k -> now.plus(k.retention())).orElse(now);
    key.ifPresent(k -> records.put(k.id(), new RunKey(to, k.request(), remembered)));
    return remembered;
  }

  /** Binds the key to an existing run, which must be kept as long as the key. */
  public void bindTo(BatchRecords records, Instant now, Run existing) {
    records.put(existing.id(), existing.rememberedUntil(bind(records, now, existing.id())));
  }

  /** Creates the run without hook tokens. */
  public Run create(BatchRecords records, Instant now) {
    return create(records, now, run -> run, Optional.empty());
  }

  /**
   * Creates the run with its hook tokens.
   *
   * @param owning adds the tokens to the run
   * @param hook the token through which the signal arrives, if there is one
   */
  public Run create(
      BatchRecords records, Instant now, UnaryOperator<Run> owning, Optional<SourceHook> hook) {
    var origin =
        new RunOrigin(
            parameters.within(definition.timeout()),
            now,
            startAt.filter(now::isBefore).orElse(now),
            bind(records, now, run));
    var owner = owning.apply(Run.created(run, definition, origin, actor));
    var signalled = signal.map(s -> received(records, now, owner, s, hook)).orElse(owner);
    var created = new RunProgression(now).proceed(signalled);
    records.put(run, created);
    return created;
  }

  private Run received(
      BatchRecords records, Instant now, Run created, NewSignal first, Optional<SourceHook> hook) {
    var change = new RunChange.SignalReceived(first.id(), first.type(), hook, first.payload());
    var received = created.then(change, now, actor);
    records.put(
        new SignalId(run, first.id()), new Signal(received.version(), first.type(), hook, false));
    return received;
  }
}
