package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.testkit.simulation.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Generates the requests of clients, on few keys, so that they conflict. */
final class Requests {
  private static final int MAX_KEYS = 3;
  private static final KeyedIds IDENTITIES = new KeyedIds(new byte[32]);
  private static final Fingerprint USUAL = fingerprint("the request");
  private static final Fingerprint OTHER = fingerprint("another");
  private final SeededRandom random;
  private final List<OperationKey> keys = new ArrayList<>();
  private final double hold;

  Requests(SeededRandom random) {
    this.random = random;
    for (var i = 0; i <= random.below(MAX_KEYS); i++) {
      keys.add(new OperationKey(Workspace.DEFAULT, "ann", "place", "key-" + i, random.chance(0.3)));
    }
    this.hold = random.pick(0.0, 0.0, 0.1, 1.0);
  }

  /** The content of a Begin. A retry differs only in the nonce, which the server generates. */
  record Begin(
      OperationId id,
      OperationKey key,
      Fingerprint fingerprint,
      AttemptId attemptId,
      Duration lease,
      Duration ttl,
      OnStale onStale) {
    BeginOperation command(long nonce) {
      return new BeginOperation(
          id,
          key,
          fingerprint,
          attemptId,
          nonce,
          lease,
          ttl,
          onStale,
          OnReleasedMismatch.KEY_REUSED);
    }
  }

  Begin begin() {
    var drawn = random.pick(keys);
    var key = drawn.accountChanging() ? by(drawn, random.pick("ann", "bob", "eve")) : drawn;
    return new Begin(
        IDENTITIES.of(key),
        key,
        random.chance(0.1) ? OTHER : USUAL,
        new AttemptId(new UUID(random.number(), random.number())),
        lease(),
        random.pick(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofHours(1)),
        random.chance(hold) ? OnStale.HOLD : OnStale.TAKE_OVER);
  }

  OperationId id() {
    return IDENTITIES.of(random.pick(keys));
  }

  Duration lease() {
    return random.pick(Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofMinutes(1));
  }

  Duration waitTime() {
    return random.pick(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  Optional<Payload> result() {
    return switch (random.below(3)) {
      case 0 -> Optional.empty();
      case 1 ->
          Optional.of(
              new Payload.Json(String.format(Locale.ROOT, "{ \"n\": %d }", random.number())));
      default ->
          Optional.of(
              new Payload.Binary(
                  Long.toHexString(random.number()).getBytes(StandardCharsets.UTF_8)));
    };
  }

  Failure failure() {
    return new Failure("no", Long.toHexString(random.number()), Optional.empty());
  }

  private static OperationKey by(OperationKey key, String account) {
    return new OperationKey(key.workspace(), account, key.operation(), key.requestId(), true);
  }

  private static Fingerprint fingerprint(String request) {
    return Fingerprint.of(request.getBytes(StandardCharsets.UTF_8));
  }
}
