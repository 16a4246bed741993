package dev.hapax.bootstrap.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.application.security.TokenVerifier;
import dev.hapax.domain.Digest;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.JwtDecision;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies JSON Web Tokens with keys in memory. A token whose key is unknown is parked while the
 * keys of its issuer are read; no thread waits for them.
 */
public final class JwtVerifier implements TokenVerifier, AutoCloseable {
  static final Duration MAX_PARKED = Duration.ofSeconds(2);
  static final int MAX_PARKED_CALLS = 1_000;
  static final Duration MAX_CACHED = Duration.ofMinutes(5);
  private static final int MAX_CACHED_TOKENS = 10_000;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(JwtVerifier.class);

  /**
   * A token that was accepted.
   *
   * @param until a key may have been withdrawn since, so it is verified again then
   */
  private record Verified(Authenticated caller, Instant until) {}

  private final Map<String, TrustedIssuer> issuers;
  private final InstantSource clock;
  private final ScheduledExecutorService timer;
  private final HttpClient http;
  private final Semaphore places = new Semaphore(MAX_PARKED_CALLS);

  // by the hash of the token, so that no token stays in memory; no thread of the cache's own
  private final Cache<ByteBuffer, Verified> verified =
      Caffeine.newBuilder()
          .maximumSize(MAX_CACHED_TOKENS)
          .expireAfterWrite(MAX_CACHED)
          .executor(Runnable::run)
          .build();

  private JwtVerifier(
      List<TrustedIssuer> issuers,
      InstantSource clock,
      ScheduledExecutorService timer,
      HttpClient http) {
    this.issuers =
        issuers.stream()
            .collect(
                Collectors.toUnmodifiableMap(each -> each.issuer().name(), Function.identity()));
    this.clock = clock;
    this.timer = timer;
    this.http = http;
  }

  /** Starts to read the keys of the issuers and returns without waiting for them. */
  public static JwtVerifier start(
      List<TokenIssuer> issuers, InstantSource clock, ScheduledExecutorService timer) {
    var http =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
    var trusted =
        issuers.stream()
            .map(
                issuer -> {
                  var reader = new KeyReader(http, issuer);
                  return new TrustedIssuer(
                      issuer, new IssuerKeys(issuer.name(), reader::read, clock, timer));
                })
            .toList();
    for (var each : trusted) {
      var _ = each.keys().read();
    }
    return new JwtVerifier(trusted, clock, timer, http);
  }

  @Override
  public Optional<Authenticated> known(String token) {
    return Optional.ofNullable(verified.getIfPresent(hash(token)))
        .filter(known -> clock.instant().isBefore(known.until()))
        .map(Verified::caller);
  }

  @Override
  public CompletableFuture<Authentication> verify(String token) {
    var received = ReceivedToken.parse(token);
    if (received.isEmpty()) {
      return refused("it is not a signed JWT");
    }
    var issuer = received.get().issuer().map(issuers::get);
    if (issuer.isEmpty()) {
      return refused("its issuer is not trusted");
    }
    var now = clock.instant();
    var hash = hash(token);
    return switch (issuer.get().check(received.get(), now)) {
      case TokenCheck.Decided(var decision) ->
          CompletableFuture.completedFuture(answer(decision, hash, now));
      case TokenCheck.WrongSignature() -> CompletableFuture.completedFuture(wrongSignature());
      case TokenCheck.UnknownKey() -> park(issuer.get(), received.get(), hash);
    };
  }

  /** Returns when the keys of each issuer were last read; {@link Instant#EPOCH} = never. */
  public Map<String, Instant> keysRead() {
    return issuers.values().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                each -> each.issuer().name(), each -> each.keys().lastRead()));
  }

  private static ByteBuffer hash(String token) {
    return ByteBuffer.wrap(Digest.allBytes(token.getBytes(StandardCharsets.UTF_8)));
  }

  private CompletableFuture<Authentication> park(
      TrustedIssuer issuer, ReceivedToken token, ByteBuffer hash) {
    var reading = issuer.keys().readForUnknown();
    if (reading.isDone()) {
      // it may have ended since the check
      return CompletableFuture.completedFuture(checkAgain(issuer, token, hash));
    }
    if (!places.tryAcquire()) {
      return refused("its key is unknown, and too many calls wait for keys");
    }
    var parked = new CompletableFuture<Authentication>();
    var _ = parked.whenComplete((_, _) -> places.release());
    limit(parked);
    var _ =
        reading.thenRun(
            () -> {
              if (!parked.isDone()) {
                parked.complete(checkAgain(issuer, token, hash));
              }
            });
    return parked;
  }

  private void limit(CompletableFuture<Authentication> parked) {
    try {
      var timeout =
          timer.schedule(
              () -> parked.complete(refusal("its key is unknown, and its issuer is slow")),
              MAX_PARKED.toMillis(),
              TimeUnit.MILLISECONDS);
      var _ = parked.whenComplete((_, _) -> timeout.cancel(false));
    } catch (RejectedExecutionException _) {
      parked.complete(refusal("the server is stopping"));
    }
  }

  private Authentication checkAgain(TrustedIssuer issuer, ReceivedToken token, ByteBuffer hash) {
    var now = clock.instant();
    return switch (issuer.check(token, now)) {
      case TokenCheck.Decided(var decision) -> answer(decision, hash, now);
      case TokenCheck.WrongSignature() -> wrongSignature();
      case TokenCheck.UnknownKey() -> refusal("its key is unknown");
    };
  }

  private Authentication answer(JwtDecision decision, ByteBuffer hash, Instant now) {
    return switch (decision) {
      case JwtDecision.Accepted(var caller) -> {
        var latest = now.plus(MAX_CACHED);
        var until = caller.expiresAt().isBefore(latest) ? caller.expiresAt() : latest;
        verified.put(hash, new Verified(caller, until));
        yield caller;
      }
      case JwtDecision.Rejected(var why) -> refusal(why);
    };
  }

  private static CompletableFuture<Authentication> refused(String why) {
    return CompletableFuture.completedFuture(refusal(why));
  }

  private static Refused wrongSignature() {
    return refusal(Reason.SIGNATURE, "its signature is wrong");
  }

  private static Refused refusal(String why) {
    return refusal(Reason.TOKEN, why);
  }

  private static Refused refusal(Reason reason, String why) {
    LOG.debug("token refused: {}", why);
    return new Refused(reason);
  }

  @Override
  public void close() {
    issuers.values().forEach(each -> each.keys().close());
    http.shutdownNow();
  }
}
