package dev.hapax.testkit.operation;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.ResolveOperation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A test caller with one request id, which creates commands with nonces. */
public record Caller(
    OperationKey key, String request, Duration lease, Duration ttl, OnStale onStale) {
  private static final KeyedIds IDENTITIES = new KeyedIds(new byte[32]);
  private static final AtomicLong NONCES = new AtomicLong();

  /** Creates a caller whose lease and time to live outlast a test. */
  public static Caller of(String requestId) {
    return new Caller(
        new OperationKey(new Workspace("contract"), "ann", "orders/Place", requestId, false),
        "the request",
        Duration.ofHours(1),
        Duration.ofHours(24),
        OnStale.TAKE_OVER);
  }

  public Caller with(OperationKey other) {
    return new Caller(other, request, lease, ttl, onStale);
  }

  public Caller workspace(String name) {
    return with(
        new OperationKey(
            new Workspace(name),
            key.account(),
            key.operation(),
            key.requestId(),
            key.accountChanging()));
  }

  public Caller account(String account) {
    return with(
        new OperationKey(
            key.workspace(), account, key.operation(), key.requestId(), key.accountChanging()));
  }

  public Caller operation(String operation) {
    return with(
        new OperationKey(
            key.workspace(), key.account(), operation, key.requestId(), key.accountChanging()));
  }

  public Caller accountChanging() {
    return with(
        new OperationKey(key.workspace(), key.account(), key.operation(), key.requestId(), true));
  }

  public Caller request(String other) {
    return new Caller(key, other, lease, ttl, onStale);
  }

  public Caller lease(Duration other) {
    return new Caller(key, request, other, ttl, onStale);
  }

  public Caller ttl(Duration other) {
    return new Caller(key, request, lease, other, onStale);
  }

  public Caller onStale(OnStale other) {
    return new Caller(key, request, lease, ttl, other);
  }

  public OperationId id() {
    return IDENTITIES.of(key);
  }

  public Fingerprint fingerprint() {
    return Fingerprint.of(request.getBytes(StandardCharsets.UTF_8));
  }

  public BeginOperation begin(String attemptId) {
    return new BeginOperation(
        id(),
        key,
        fingerprint(),
        AttemptId.of(attemptId),
        NONCES.incrementAndGet(),
        lease,
        ttl,
        onStale,
        OnReleasedMismatch.KEY_REUSED);
  }

  public static CompleteOperation complete(OperationClaim claim) {
    return new CompleteOperation(claim, Optional.empty(), Optional.empty());
  }

  public static CompleteOperation complete(OperationClaim claim, Payload result) {
    return new CompleteOperation(claim, Optional.of(result), Optional.empty());
  }

  public static CompleteOperation completeAndMove(OperationClaim claim, String accountAfter) {
    return new CompleteOperation(claim, Optional.empty(), Optional.of(accountAfter));
  }

  public static FailOperation failRetryable(OperationClaim claim) {
    return new FailOperation(claim, new FailOperation.Verdict.Retryable(Optional.empty()));
  }

  public static FailOperation failFinally(OperationClaim claim, Failure cause) {
    return new FailOperation(claim, new FailOperation.Verdict.Final(cause));
  }

  public static FailOperation failWithUnknownEffect(OperationClaim claim) {
    return new FailOperation(claim, new FailOperation.Verdict.UnknownEffect(Optional.empty()));
  }

  public RenewOperation renew(OperationClaim claim) {
    return new RenewOperation(claim, lease);
  }

  public ResolveOperation resolve(String requestId, ResolveOperation.Verdict verdict) {
    return new ResolveOperation(
        id(),
        NONCES.incrementAndGet(),
        new ResolveOperation.Request(
            requestId,
            new Attribution("ann", "looked it up", new PrincipalName("api-key:billing"))),
        verdict);
  }

  public ResolveOperation release(String requestId) {
    return resolve(requestId, new ResolveOperation.Verdict.Release());
  }
}
