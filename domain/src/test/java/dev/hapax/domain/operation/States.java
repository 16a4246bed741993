package dev.hapax.domain.operation;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Operations in the states that the tables name, at {@link #NOW}. */
final class States {
  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  static final Duration TTL = Duration.ofHours(24);
  static final OperationId ID = new OperationId(Workspace.DEFAULT, new UUID(1, 2));
  static final Fingerprint PRINT = Fingerprint.of(new byte[] {1});
  static final AttemptId MINE = AttemptId.of("mine");
  static final int ATTEMPT = 3;
  static final long NONCE = 7;
  static final Payload RESULT = new Payload.Json("{\"done\": true}");
  static final Failure FAILURE = new Failure("declined", "no", Optional.of(RESULT));
  static final OperationSubject.Resolution RESOLUTION =
      new OperationSubject.Resolution(
          "r1", new Attribution("olga", "looked it up", PrincipalName.NONE), new Fence(60));

  /** A holder that failed long ago, and a later operator. */
  static final RememberedCalls.Failed FORMER =
      new RememberedCalls.Failed(5, new Fence(50), RememberedCalls.Kind.RETRYABLE);

  static final RememberedCalls EARLIER =
      new RememberedCalls(List.of(FORMER), List.of(Digest.sha256("r0")));

  /** A fence below the clock, and one above it, after the clock was set back. */
  static final List<Fence> FENCES =
      List.of(
          Fence.first(NOW.minus(Duration.ofSeconds(5))),
          Fence.first(NOW.plus(Duration.ofSeconds(5))));

  private static final Duration TICK = Duration.ofNanos(1_000);

  private States() {}

  static OperationKey key(String account, boolean accountChanging) {
    return new OperationKey(Workspace.DEFAULT, account, "orders/Place", "request", accountChanging);
  }

  static Optional<Operation> of(String name, Fence fence) {
    return of(name, fence, subject(key("ann", false), Optional.of(RESOLUTION)), "ann");
  }

  /** Of an account-changing operation begun by ann: "completed, by amy, now bob" and the like. */
  static Optional<Operation> ofAccount(String name, Fence fence) {
    var subject = subject(key("ann", true), Optional.empty());
    return of(name, fence, subject, name.contains("by amy") ? "amy" : "ann");
  }

  private static OperationSubject subject(
      OperationKey key, Optional<OperationSubject.Resolution> resolution) {
    return new OperationSubject(key, PRINT, resolution, EARLIER);
  }

  private static Optional<Operation> of(
      String name, Fence fence, OperationSubject subject, String grantee) {
    var expiresAt =
        name.endsWith("past ttl")
            ? NOW.minus(TICK)
            : name.endsWith("ttl ends now") ? NOW : NOW.plus(TICK);
    var grant = new Grant(NONCE, fence, ATTEMPT, grantee, expiresAt.minus(TTL), expiresAt);
    var since = NOW.minus(Duration.ofHours(1));
    var state = name.contains(",") ? name.substring(0, name.indexOf(',')) : name;
    return switch (state) {
      case "absent" -> Optional.empty();
      case "held" -> Optional.of(held(subject, grant, name, OnStale.TAKE_OVER));
      case "held by HOLD" -> Optional.of(held(subject, grant, name, OnStale.HOLD));
      case "in doubt" ->
          Optional.of(
              new Operation.Indeterminate(subject, grant, since, failure(), Optional.empty()));
      case "lapsed" ->
          Optional.of(
              new Operation.Indeterminate(
                  subject, grant, since, Optional.empty(), Optional.of(MINE)));
      case "released" -> Optional.of(new Operation.Released(subject, grant, since, failure()));
      case "completed" ->
          Optional.of(
              new Operation.Completed(
                  subject,
                  grant,
                  since,
                  Optional.of(RESULT),
                  name.contains("now bob") ? Optional.of("bob") : Optional.empty()));
      case "rejected" -> Optional.of(new Operation.Rejected(subject, grant, since, FAILURE));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Optional<Failure> failure() {
    return Optional.of(FAILURE);
  }

  private static Operation held(
      OperationSubject subject, Grant grant, String name, OnStale onStale) {
    var leaseUntil =
        name.contains("lease over")
            ? NOW.minus(TICK)
            : name.contains("lease ends now") ? NOW : NOW.plus(TICK);
    return new Operation.InProgress(subject, grant, MINE, leaseUntil, onStale);
  }
}
