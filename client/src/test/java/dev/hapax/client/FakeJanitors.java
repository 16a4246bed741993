package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** The recoveries of DESIGN 5.4 in memory, without what a module does not see. */
public final class FakeJanitors extends JanitorServiceGrpc.JanitorServiceImplBase {

  /** True: the module has no janitor. */
  public volatile boolean unknown;

  private static final class Row {
    long fence = 200;
    String heldBy = "";
    long leaseUntil;
    RecoveryOutcome outcome = RecoveryOutcome.RECOVERY_OUTCOME_UNSPECIFIED;
  }

  private final Timing timing;
  private final Faults faults;
  private final Map<String, JanitorContract> declared = new LinkedHashMap<>();
  private final Map<String, Row> stuck = new LinkedHashMap<>();
  private final List<Runnable> parked = new ArrayList<>();
  private final List<Object> requests = new ArrayList<>();

  public FakeJanitors(Timing timing, Faults faults) {
    this.timing = timing;
    this.faults = faults;
  }

  /** Every request of this type, oldest first. */
  public synchronized <Q> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private synchronized void keep(Object request) {
    requests.add(request);
  }

  /** What this module has promised. */
  public synchronized JanitorContract declared(String module) {
    return Objects.requireNonNull(declared.get(module));
  }

  /** The holder of this entity is gone. */
  public void stick(String entity) {
    synchronized (this) {
      stuck.put(entity, new Row());
    }
    wake();
  }

  /** As after the end of the recovery's lease. */
  public void takeAway(String entity) {
    synchronized (this) {
      row(entity).heldBy = "";
    }
    wake();
  }

  private Row row(String entity) {
    return Objects.requireNonNull(stuck.get(entity));
  }

  public synchronized RecoveryOutcome outcome(String entity) {
    return row(entity).outcome;
  }

  /** Looks who can be handed out now: time has passed. */
  public void wake() {
    List<Runnable> woken;
    synchronized (this) {
      woken = List.copyOf(parked);
      parked.clear();
    }
    woken.forEach(Runnable::run);
  }

  @Override
  public void pollRecoveries(
      PollRecoveriesRequest request, StreamObserver<PollRecoveriesResponse> answer) {
    ServerCallStreamObserver<PollRecoveriesResponse> call =
        (ServerCallStreamObserver<PollRecoveriesResponse>) answer;
    call.setOnCancelHandler(() -> {});
    keep(request);
    long until = timing.nanos() + ProtoTimes.toJava(request.getWait()).toNanos();
    faults.serve("pollRecoveries", answer, reply -> poll(request, until, call, reply));
  }

  private void poll(
      PollRecoveriesRequest request,
      long until,
      ServerCallStreamObserver<PollRecoveriesResponse> call,
      Consumer<PollRecoveriesResponse> reply) {
    if (unknown) {
      throw FakeRuns.refusal(
          Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_JANITOR_NOT_FOUND, Map.of());
    }
    List<Recovery> recoveries;
    synchronized (this) {
      if (call.isCancelled()) {
        return;
      }
      recoveries = claim(request);
      if (recoveries.isEmpty() && timing.nanos() < until) {
        boolean[] woken = {false};
        Runnable again =
            () -> {
              synchronized (woken) {
                if (woken[0]) {
                  return;
                }
                woken[0] = true;
              }
              poll(request, until, call, reply);
            };
        parked.add(again);
        timing.after(Duration.ofNanos(until - timing.nanos()), again);
        return;
      }
    }
    reply.accept(PollRecoveriesResponse.newBuilder().addAllRecoveries(recoveries).build());
  }

  private List<Recovery> claim(PollRecoveriesRequest request) {
    List<Recovery> recoveries = new ArrayList<>();
    stuck.forEach(
        (entity, row) -> {
          boolean own = row.heldBy.equals(request.getAttemptId());
          boolean free = row.heldBy.isEmpty() || timing.nanos() >= row.leaseUntil;
          if (row.outcome == RecoveryOutcome.RECOVERY_OUTCOME_UNSPECIFIED
              && (own || free)
              && recoveries.size() < request.getMaxRecoveries()) {
            row.fence += own ? 0 : 1;
            row.heldBy = request.getAttemptId();
            row.leaseUntil = timing.nanos() + ProtoTimes.toJava(request.getLease()).toNanos();
            recoveries.add(recovery(entity, row, request));
          }
        });
    return recoveries;
  }

  private static Recovery recovery(String entity, Row row, PollRecoveriesRequest request) {
    return Recovery.newBuilder()
        .setClaim(Claim.newBuilder().setId(entity + "/" + row.fence).setFence(row.fence))
        .setEntity(Entity.newBuilder().setLifecycle("invoice").setId(entity))
        .setLost(Recovery.LostAction.newBuilder().setStepKey("apply_payment").setFence(150))
        .setLeaseRemaining(request.getLease())
        .build();
  }

  @Override
  public void completeRecovery(
      CompleteRecoveryRequest request, StreamObserver<CompleteRecoveryResponse> answer) {
    keep(request);
    faults.serve("completeRecovery", answer, reply -> reply.accept(complete(request)));
  }

  private synchronized CompleteRecoveryResponse complete(CompleteRecoveryRequest request) {
    Row row = row(request.getClaim().getId().split("/", 2)[0]);
    if (row.fence != request.getClaim().getFence()) {
      return CompleteRecoveryResponse.newBuilder()
          .setClaimLost(
              ClaimLost.newBuilder().setReason(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST))
          .build();
    }
    row.outcome = request.getOutcome();
    return CompleteRecoveryResponse.newBuilder()
        .setCompleted(CompleteRecoveryResponse.Completed.newBuilder())
        .build();
  }

  @Override
  public void declareJanitor(
      DeclareJanitorRequest request, StreamObserver<DeclareJanitorResponse> answer) {
    faults.serve(
        "declare",
        answer,
        reply -> {
          JanitorContract contract = request.getContract();
          boolean already = contract.equals(declared.put(contract.getModule(), contract));
          reply.accept(
              DeclareJanitorResponse.newBuilder()
                  .setContract(contract)
                  .setAlready(already)
                  .build());
        });
  }

  @Override
  public void listJanitors(
      ListJanitorsRequest request, StreamObserver<ListJanitorsResponse> answer) {
    ListJanitorsResponse.Builder response = ListJanitorsResponse.newBuilder();
    declared
        .values()
        .forEach(
            contract ->
                response.addJanitors(
                    Janitor.newBuilder().setModule(contract.getModule()).setContract(contract)));
    faults.serve("listJanitors", answer, reply -> reply.accept(response.build()));
  }
}
