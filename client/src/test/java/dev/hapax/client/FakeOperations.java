package dev.hapax.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.OnStale;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import dev.hapax.v1.Replay;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operation of DESIGN 5.1 in memory, without what the client does not see. */
public final class FakeOperations extends OperationServiceGrpc.OperationServiceImplBase {

  private record Key(String workspace, String account, String operation, String requestId) {}

  private static final class Entry {
    OperationState state = OperationState.OPERATION_STATE_UNSPECIFIED;
    String claimId = "";
    String attemptId = "";
    String account = "";
    String accountAfter = "";
    ByteString fingerprint = ByteString.EMPTY;
    long fence;
    int attempt;
    long leaseUntil;
    long expiresAt;
    boolean hold;
    @Nullable Payload result;
    @Nullable Failure failure;
  }

  private final Timing timing;
  private final Faults faults;
  private final Map<Key, Entry> entries = new HashMap<>();
  private final List<Runnable> parked = new ArrayList<>();
  private final List<String> attemptIds = new ArrayList<>();

  public FakeOperations(Timing timing, Faults faults) {
    this.timing = timing;
    this.faults = faults;
  }

  @Override
  public void beginOperation(
      BeginOperationRequest request, StreamObserver<BeginOperationResponse> answer) {
    faults.serve("begin", answer, reply -> begin(request, reply));
  }

  private void begin(BeginOperationRequest request, Consumer<BeginOperationResponse> reply) {
    long until = timing.nanos() + nanos(request.getWait(), 0);
    synchronized (this) {
      attemptIds.add(request.getAttemptId());
    }
    tryBegin(request, reply, until);
  }

  private void tryBegin(
      BeginOperationRequest request, Consumer<BeginOperationResponse> reply, long until) {
    BeginOperationResponse response;
    synchronized (this) {
      response = decide(request);
      if (response.hasInProgress() && timing.nanos() < until) {
        boolean[] woken = {false};
        Runnable again =
            () -> {
              synchronized (this) {
                if (woken[0]) {
                  return;
                }
                woken[0] = true;
              }
              tryBegin(request, reply, until);
            };
        parked.add(again);
        timing.after(Duration.ofNanos(until - timing.nanos()), again);
        return;
      }
    }
    reply.accept(response);
  }

  private BeginOperationResponse decide(BeginOperationRequest request) {
    Key key = key(request);
    Entry entry = entries.computeIfAbsent(key, absent -> new Entry());
    long now = timing.nanos();
    boolean ended =
        entry.state == OperationState.OPERATION_STATE_COMPLETED
            || entry.state == OperationState.OPERATION_STATE_REJECTED;
    boolean free =
        entry.state == OperationState.OPERATION_STATE_UNSPECIFIED
            || entry.state == OperationState.OPERATION_STATE_RELEASED
            || (ended && now >= entry.expiresAt);
    BeginOperationResponse.Builder response = BeginOperationResponse.newBuilder();
    if (free) {
      return grant(entry, request, false);
    }
    if (request.getAccountChanging()
        && ended
        && !request.getAccount().equals(entry.account)
        && !request.getAccount().equals(entry.accountAfter)) {
      throw Status.FAILED_PRECONDITION.withDescription("ACCOUNT_MISMATCH").asRuntimeException();
    }
    if (!entry.fingerprint.equals(request.getFingerprint())) {
      return response.setKeyReused(BeginOperationResponse.KeyReused.getDefaultInstance()).build();
    }
    if (ended) {
      return response.setReplay(replay(entry)).build();
    }
    if (entry.state == OperationState.OPERATION_STATE_IN_PROGRESS) {
      if (entry.attemptId.equals(request.getAttemptId())) {
        entry.leaseUntil = now + nanos(request.getLease(), 60_000_000_000L);
        return granted(entry, request, false, true);
      }
      if (now < entry.leaseUntil) {
        return response
            .setInProgress(
                BeginOperationResponse.InProgress.newBuilder()
                    .setStartedAt(Timestamp.newBuilder().setSeconds(1))
                    .setAttempt(entry.attempt)
                    .setRetryAfter(ProtoTimes.toProto(Duration.ofNanos(entry.leaseUntil - now))))
            .build();
      }
      if (!entry.hold && request.getOnStale() != OnStale.ON_STALE_HOLD) {
        return grant(entry, request, true);
      }
      entry.state = OperationState.OPERATION_STATE_INDETERMINATE;
    }
    return response
        .setIndeterminate(
            BeginOperationResponse.Indeterminate.newBuilder().setAttempt(entry.attempt))
        .build();
  }

  private BeginOperationResponse grant(
      Entry entry, BeginOperationRequest request, boolean reclaimed) {
    entry.state = OperationState.OPERATION_STATE_IN_PROGRESS;
    entry.fence = Math.max(entry.fence + 1, timing.nanos() / 1000);
    entry.attempt++;
    entry.claimId = "op_" + request.getRequestId() + "_" + entry.attempt;
    entry.attemptId = request.getAttemptId();
    entry.account = request.getAccount();
    entry.accountAfter = "";
    entry.fingerprint = request.getFingerprint();
    entry.leaseUntil = timing.nanos() + nanos(request.getLease(), 60_000_000_000L);
    entry.expiresAt = timing.nanos() + nanos(request.getTtl(), Duration.ofHours(24).toNanos());
    entry.hold = request.getOnStale() == OnStale.ON_STALE_HOLD;
    entry.result = null;
    entry.failure = null;
    return granted(entry, request, reclaimed, false);
  }

  private BeginOperationResponse granted(
      Entry entry, BeginOperationRequest request, boolean reclaimed, boolean reentrant) {
    return BeginOperationResponse.newBuilder()
        .setAcquired(
            BeginOperationResponse.Acquired.newBuilder()
                .setClaim(Claim.newBuilder().setId(entry.claimId).setFence(entry.fence))
                .setLeaseRemaining(request.getLease())
                .setAttempt(entry.attempt)
                .setReclaimed(reclaimed)
                .setReentrant(reentrant))
        .build();
  }

  @Override
  public void completeOperation(
      CompleteOperationRequest request, StreamObserver<CompleteOperationResponse> answer) {
    faults.serve("complete", answer, reply -> reply.accept(complete(request)));
  }

  private CompleteOperationResponse complete(CompleteOperationRequest request) {
    if (request.getResult().getBinary().size() > 256 * 1024
        || request.getResult().getJson().equals("bad json")) {
      throw Status.INVALID_ARGUMENT.withDescription("result").asRuntimeException();
    }
    CompleteOperationResponse.Builder response = CompleteOperationResponse.newBuilder();
    synchronized (this) {
      Entry entry = held(request.getClaim());
      boolean already = entry != null && entry.state == OperationState.OPERATION_STATE_COMPLETED;
      if (entry == null || (!open(entry) && !already)) {
        return response.setClaimLost(lost(request.getClaim())).build();
      }
      if (!already) {
        entry.state = OperationState.OPERATION_STATE_COMPLETED;
        entry.result = request.hasResult() ? request.getResult() : null;
        entry.accountAfter = request.getAccountAfter();
      }
      response.setCompleted(CompleteOperationResponse.Completed.newBuilder().setAlready(already));
    }
    wake();
    return response.build();
  }

  /** A transaction has completed the operation of this claim. */
  public void completeInTransaction(Claim claim) {
    CompleteOperationRequest request =
        CompleteOperationRequest.newBuilder()
            .setClaim(claim)
            .setResult(Payload.newBuilder().setJson("\"from the transaction\""))
            .build();
    if (!complete(request).hasCompleted()) {
      throw new IllegalStateException("the claim is lost");
    }
  }

  @Override
  public void failOperation(
      FailOperationRequest request, StreamObserver<FailOperationResponse> answer) {
    faults.serve("fail", answer, reply -> reply.accept(fail(request)));
  }

  private FailOperationResponse fail(FailOperationRequest request) {
    FailOperationResponse.Builder response = FailOperationResponse.newBuilder();
    synchronized (this) {
      Entry entry = held(request.getClaim());
      OperationState wanted = state(request.getKind());
      boolean already = entry != null && entry.state == wanted;
      if (entry == null || (!open(entry) && !already)) {
        return response.setClaimLost(lost(request.getClaim())).build();
      }
      entry.state = wanted;
      entry.failure = request.getFailure();
      response.setFailed(FailOperationResponse.Failed.newBuilder().setAlready(already));
    }
    wake();
    return response.build();
  }

  @Override
  public void renewOperation(
      RenewOperationRequest request, StreamObserver<RenewOperationResponse> answer) {
    faults.serve("renew", answer, reply -> reply.accept(renew(request)));
  }

  private synchronized RenewOperationResponse renew(RenewOperationRequest request) {
    Entry entry = held(request.getClaim());
    if (entry == null || entry.state != OperationState.OPERATION_STATE_IN_PROGRESS) {
      return RenewOperationResponse.newBuilder().setClaimLost(lost(request.getClaim())).build();
    }
    entry.leaseUntil = timing.nanos() + nanos(request.getLease(), 60_000_000_000L);
    return RenewOperationResponse.newBuilder()
        .setRenewed(LeaseRenewed.newBuilder().setLeaseRemaining(request.getLease()))
        .build();
  }

  /** Another process takes the key, as after the end of a lease; null = it has not ended yet. */
  public void takeOver(String requestId, @Nullable Payload result) {
    synchronized (this) {
      Entry entry = entry(requestId);
      entry.attempt++;
      entry.fence++;
      entry.claimId = "op_" + requestId + "_" + entry.attempt;
      entry.attemptId = "another process";
      entry.leaseUntil = timing.nanos() + 60_000_000_000L;
      entry.result = result;
      entry.state =
          result == null
              ? OperationState.OPERATION_STATE_IN_PROGRESS
              : OperationState.OPERATION_STATE_COMPLETED;
    }
    wake();
  }

  /** The holder fails, and the key is free. */
  public void release(String requestId) {
    synchronized (this) {
      entry(requestId).state = OperationState.OPERATION_STATE_RELEASED;
    }
    wake();
  }

  /** An operator settles it without a result or with a failure. */
  public synchronized void resolve(
      String requestId, @Nullable Payload result, @Nullable Failure failure) {
    Entry entry = entry(requestId);
    entry.claimId = "resolved";
    entry.result = result;
    entry.failure = failure;
    entry.state =
        failure == null
            ? OperationState.OPERATION_STATE_COMPLETED
            : OperationState.OPERATION_STATE_REJECTED;
  }

  public synchronized OperationState state(String requestId) {
    return entries.entrySet().stream()
        .filter(entry -> entry.getKey().requestId().equals(requestId))
        .map(entry -> entry.getValue().state)
        .findFirst()
        .orElse(OperationState.OPERATION_STATE_UNSPECIFIED);
  }

  public synchronized Failure failure(String requestId) {
    return Objects.requireNonNull(entry(requestId).failure);
  }

  public synchronized @Nullable Payload result(String requestId) {
    return entry(requestId).result;
  }

  public synchronized List<String> attemptIds() {
    return List.copyOf(attemptIds);
  }

  public synchronized int rows() {
    return entries.size();
  }

  private Entry entry(String requestId) {
    return entries.entrySet().stream()
        .filter(entry -> entry.getKey().requestId().equals(requestId))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  private @Nullable Entry held(Claim claim) {
    return entries.values().stream()
        .filter(entry -> entry.claimId.equals(claim.getId()) && entry.fence == claim.getFence())
        .findFirst()
        .orElse(null);
  }

  private ClaimLost lost(Claim claim) {
    String requestId = claim.getId().split("_", 3)[1];
    Entry entry = entry(requestId);
    ClaimLost.Builder lost =
        ClaimLost.newBuilder()
            .setReason(
                entry.claimId.equals(claim.getId())
                    ? ClaimLostReason.CLAIM_LOST_REASON_ENDED
                    : ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST)
            .setOperationState(entry.state);
    if (entry.state == OperationState.OPERATION_STATE_COMPLETED
        || entry.state == OperationState.OPERATION_STATE_REJECTED) {
      lost.setReplay(replay(entry));
    }
    return lost.build();
  }

  private static boolean open(Entry entry) {
    return entry.state == OperationState.OPERATION_STATE_IN_PROGRESS
        || entry.state == OperationState.OPERATION_STATE_INDETERMINATE;
  }

  private static Replay replay(Entry entry) {
    Replay.Builder replay =
        Replay.newBuilder().setCompletedAt(Timestamp.newBuilder().setSeconds(1_000));
    if (entry.failure != null && entry.state == OperationState.OPERATION_STATE_REJECTED) {
      return replay.setFailure(entry.failure).build();
    }
    return entry.result == null ? replay.build() : replay.setResult(entry.result).build();
  }

  private void wake() {
    List<Runnable> all;
    synchronized (this) {
      all = List.copyOf(parked);
      parked.clear();
    }
    all.forEach(Runnable::run);
  }

  private static OperationState state(FailureKind kind) {
    return switch (kind) {
      case FAILURE_KIND_FINAL -> OperationState.OPERATION_STATE_REJECTED;
      case FAILURE_KIND_UNKNOWN_EFFECT -> OperationState.OPERATION_STATE_INDETERMINATE;
      default -> OperationState.OPERATION_STATE_RELEASED;
    };
  }

  private static Key key(BeginOperationRequest request) {
    String account = request.getAccountChanging() ? "\0" : request.getAccount();
    return new Key(request.getWorkspace(), account, request.getOperation(), request.getRequestId());
  }

  private static long nanos(com.google.protobuf.Duration duration, long unset) {
    long nanos = ProtoTimes.toJava(duration).toNanos();
    return nanos == 0 ? unset : nanos;
  }
}
