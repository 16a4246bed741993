package dev.hapax.client;

import com.google.protobuf.ByteString;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Calls.Budget;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.WorkCalls.Ending;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.Fingerprints;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import dev.hapax.v1.Replay;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation of this process.
 *
 * @param <T> the result of its work
 */
final class Once<T extends @Nullable Object> implements WorkCalls<Boolean> {

  private static final Logger log = LoggerFactory.getLogger(Once.class);
  private static final Duration FAIL_OPEN_AFTER = Duration.ofSeconds(1);

  private final Connection connection;
  private final Operation operation;
  private final Codec<T> codec;

  Once(Connection connection, Operation operation, Codec<T> codec) {
    this.connection = connection;
    this.operation = operation;
    this.codec = codec;
  }

  <X extends Exception> OnceOutcome<T> run(Work<? extends T, X> work) throws X {
    if (operation.message().getRequestId().isEmpty()) {
      return untracked(work);
    }
    Answer<BeginOperationResponse> begun;
    try {
      begun = begin();
    } catch (HapaxException.Unavailable unreachable) {
      if (!operation.failsOpen() || unreachable.getCause() instanceof InterruptedException) {
        throw unreachable;
      }
      log.warn(
          "Hapax is unreachable, {} runs untracked",
          operation.message().getOperation(),
          unreachable);
      return untracked(work);
    }
    BeginOperationResponse response = begun.message();
    return switch (response.getOutcomeCase()) {
      case ACQUIRED -> hold(begun, response.getAcquired(), work);
      case REPLAY -> replayed(response.getReplay(), false);
      case IN_PROGRESS -> {
        var other = response.getInProgress();
        yield new OnceOutcome.InProgress<>(
            ProtoTimes.toJava(other.getStartedAt()),
            other.getAttempt(),
            ProtoTimes.toJava(other.getRetryAfter()));
      }
      case KEY_REUSED -> new OnceOutcome.KeyReused<>();
      case INDETERMINATE -> {
        var other = response.getIndeterminate();
        yield new OnceOutcome.Indeterminate<>(
            ProtoTimes.toJava(other.getStartedAt()), other.getAttempt());
      }
      case UNTRACKED -> untracked(work);
      case OUTCOME_NOT_SET ->
          throw new IllegalStateException("a call fails if its outcome is unknown");
    };
  }

  private <X extends Exception> OnceOutcome<T> untracked(Work<? extends T, X> work) throws X {
    return new OnceOutcome.Done<>(work.run(Claim.untracked()), false);
  }

  private Answer<BeginOperationResponse> begin() {
    BeginOperationRequest.Builder request =
        operation.message().toBuilder()
            .setWorkspace(connection.workspace())
            .setAttemptId(UUID.randomUUID().toString());
    Object input = operation.input();
    if (input != null) {
      request.setFingerprint(ByteString.copyFrom(Fingerprints.of(input, connection.json())));
    }
    Duration wait = operation.waiting();
    Answer<BeginOperationResponse> begun = send(request, wait);
    boolean isLeaseMostlyUsed =
        begun.message().hasAcquired()
            && !wait.isZero()
            && begun.roundTrip() > operation.lease().toNanos() / 4;
    // the lease counts from the request, so the wait may have used it up: repeating the attempt
    // extends it
    return isLeaseMostlyUsed ? send(request.clearWait(), Duration.ZERO) : begun;
  }

  private Answer<BeginOperationResponse> send(
      BeginOperationRequest.Builder request, Duration wait) {
    Budget budget =
        operation.failsOpen()
            ? Budget.strict(FAIL_OPEN_AFTER)
            : Budget.of(connection.callTimeout());
    return connection
        .calls()
        .send(request.build(), BeginOperationResponse.getDefaultInstance(), budget.holding(wait));
  }

  private <X extends Exception> OnceOutcome<T> hold(
      Answer<?> begun, BeginOperationResponse.Acquired grant, Work<? extends T, X> work) throws X {
    Claim claim =
        Claim.of(
            new Claim.Grant(
                grant.getClaim(),
                grant.getAttempt(),
                grant.getReclaimed(),
                operation.message().getAccountChanging(),
                SqlCompletion.by(
                    CompletionFunction.OPERATION, connection, codec, Once::accountAfter)),
            connection.calls().timing(),
            begun,
            ProtoTimes.toJava(grant.getLeaseRemaining()),
            operation.holdAtMost(),
            () -> connection.observer().lost(HolderKind.OPERATION));
    Held<T, Boolean> held = new Holder<>(connection, claim, codec, this).run(this::renew, work);
    if (held instanceof Held.Done<T, Boolean> done) {
      return new OnceOutcome.Done<>(done.value(), true);
    }
    if (held instanceof Held.Unrecorded<T, Boolean> unrecorded) {
      return new OnceOutcome.Unrecorded<>(unrecorded.value(), unrecorded.cause());
    }
    if (held instanceof Held.Lost<T, Boolean> over) {
      return over.lost().hasReplay()
          ? replayed(over.lost().getReplay(), true)
          : new OnceOutcome.ClaimLost<>(Claim.name(over.lost().getReason()), over.failure());
    }
    throw new HapaxException.NotCommitted();
  }

  private static @Nullable String[] accountAfter(Claim claim) {
    return new @Nullable String[] {claim.accountAfter().isEmpty() ? null : claim.accountAfter()};
  }

  private OnceOutcome<T> replayed(Replay replay, boolean isOvertaken) {
    var completedAt = ProtoTimes.toJava(replay.getCompletedAt());
    if (replay.hasFailure()) {
      return new OnceOutcome.Rejected<>(new Failure(replay.getFailure()), completedAt, isOvertaken);
    }
    Payload result = replay.hasResult() ? replay.getResult() : null;
    if (Payloads.NOT_RETAINED.equals(result)) {
      return new OnceOutcome.NotRetained<>(completedAt);
    }
    try {
      return new OnceOutcome.Replayed<>(connection.read(codec, result), completedAt, isOvertaken);
    } catch (RuntimeException unreadable) {
      throw new HapaxException.Unreadable(unreadable);
    }
  }

  private CompletableFuture<?> renew(List<Claim> due) {
    Claim claim = due.get(0);
    RenewOperationRequest request =
        RenewOperationRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setLease(operation.message().getLease())
            .build();
    return connection
        .calls()
        .start(
            request, RenewOperationResponse.getDefaultInstance(), Claim.Lease.renewalTimeout(due))
        .handle(
            (answer, error) -> {
              renewed(claim.lease(), answer);
              return null;
            });
  }

  private static void renewed(Claim.Lease lease, @Nullable Answer<RenewOperationResponse> answer) {
    if (answer == null) {
      lease.notRenewed();
      return;
    }
    RenewOperationResponse response = answer.message();
    switch (response.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, ProtoTimes.toJava(response.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.revoke(response.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }

  @Override
  public Ending<Boolean> complete(Claim claim, @Nullable Payload result) {
    CompleteOperationRequest.Builder request =
        CompleteOperationRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setAccountAfter(claim.accountAfter());
    if (result != null) {
      request.setResult(result);
    }
    CompleteOperationResponse response =
        connection
            .record(request.build(), CompleteOperationResponse.getDefaultInstance(), claim)
            .message();
    return response.hasClaimLost()
        ? new Ending.Lost<>(response.getClaimLost())
        : new Ending.Recorded<>(true);
  }

  @Override
  public Ending<Boolean> fail(Claim claim, Throwable thrown) {
    WorkFailure declared = WorkFailure.in(thrown);
    dev.hapax.v1.Failure failure = FailureText.of(declared == null ? thrown : declared);
    FailureKind kind =
        declared == null
            ? FailureKind.FAILURE_KIND_RETRYABLE
            : FailureText.kind(declared.failureKind());
    try {
      return fail(claim, kind, failure);
    } catch (HapaxException.Refused refused) {
      log.error("Hapax refused the text of the failure of claim {}", claim.id(), refused);
      return fail(claim, kind, FailureText.describe("FAILED", null));
    }
  }

  @Override
  public Ending<Boolean> probe(Claim claim) {
    return fail(
        claim,
        FailureKind.FAILURE_KIND_RETRYABLE,
        FailureText.describe("NOT_COMMITTED", "the transaction was not committed"));
  }

  private Ending<Boolean> fail(Claim claim, FailureKind kind, dev.hapax.v1.Failure failure) {
    FailOperationRequest request =
        FailOperationRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setKind(kind)
            .setFailure(failure)
            .build();
    FailOperationResponse response =
        connection.record(request, FailOperationResponse.getDefaultInstance(), claim).message();
    return response.hasClaimLost()
        ? new Ending.Lost<>(response.getClaimLost())
        : new Ending.Recorded<>(true);
  }

  @Override
  public Payload unkept() {
    return Payloads.NOT_RETAINED;
  }
}
