package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JWSHeader;
import java.io.IOException;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one issuer in memory. They are read by threads of their own: every few minutes, and
 * for a key that is not known. If they cannot be read, the last ones stay for some hours.
 */
final class IssuerKeys implements AutoCloseable {
  static final Duration REFRESH = Duration.ofMinutes(5);
  static final Duration RETRY = Duration.ofSeconds(30);

  /** Tokens with made-up keys must not become requests to the issuer. */
  static final Duration BETWEEN_UNKNOWN = Duration.ofSeconds(30);

  static final Duration OUTAGE_TOLERANCE = Duration.ofHours(4);

  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Reads keys, and may block. */
  interface Source {
    VerificationKeys read() throws IOException, InterruptedException;
  }

  private record Read(VerificationKeys keys, Instant at) {}

  private final String issuer;
  private final Source source;
  private final InstantSource clock;
  private final ScheduledExecutorService timer;
  private volatile Read last = new Read(VerificationKeys.NONE, Instant.EPOCH);

  // guarded by this
  private CompletableFuture<Void> reading = DONE;
  private Future<?> next = DONE;
  private Instant lastUnknown = Instant.EPOCH;
  private boolean failing;
  private boolean closed;

  IssuerKeys(String issuer, Source source, InstantSource clock, ScheduledExecutorService timer) {
    this.issuer = issuer;
    this.source = source;
    this.clock = clock;
    this.timer = timer;
  }

  /** Returns the keys that may have signed a token; none if they are unknown or too old. */
  List<PublicKey> find(JWSHeader header) {
    var known = last;
    return known.at().plus(OUTAGE_TOLERANCE).isBefore(clock.instant())
        ? List.of()
        : known.keys().matching(header);
  }

  /** Returns when the keys were last read; {@link Instant#EPOCH} = never. */
  Instant lastRead() {
    return last.at();
  }

  /** Reads the keys now, unless that is under way. */
  synchronized CompletableFuture<Void> read() {
    if (reading.isDone() && !closed) {
      var started = new CompletableFuture<Void>();
      reading = started;
      var _ = Thread.ofVirtual().name("keys of " + issuer).start(() -> fill(started));
    }
    return reading;
  }

  /**
   * Reads the keys because one is unknown, unless that was done just before.
   *
   * @return complete if nothing is being read
   */
  synchronized CompletableFuture<Void> readForUnknown() {
    var now = clock.instant();
    if (!reading.isDone()
        || Duration.between(lastUnknown, now).abs().compareTo(BETWEEN_UNKNOWN) < 0) {
      return reading;
    }
    lastUnknown = now;
    return read();
  }

  private void refresh() {
    var _ = read();
  }

  private void fill(CompletableFuture<Void> started) {
    try {
      var keys = source.read();
      ended(Optional.empty());
      last = new Read(keys, clock.instant());
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // without a next read, the keys would become too old for ever
      ended(Optional.of(e));
    } finally {
      started.complete(null);
    }
  }

  private synchronized void ended(Optional<Throwable> failure) {
    if (closed) {
      return;
    }
    if (failure.isPresent() && !failing) {
      // without its stack trace: the text says which address, and what was wrong
      LOG.warn(
          "token issuer {}: cannot read its keys, will retry; those in memory are used for {} h: {}",
          issuer,
          OUTAGE_TOLERANCE.toHours(),
          String.valueOf(failure.get().getMessage()));
    } else if (failure.isEmpty() && failing) {
      LOG.info("token issuer {}: keys read again", issuer);
    }
    failing = failure.isPresent();
    next.cancel(false);
    try {
      var pause = failing ? RETRY : REFRESH;
      next = timer.schedule(this::refresh, pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // the server is stopping
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    next.cancel(false);
  }
}
