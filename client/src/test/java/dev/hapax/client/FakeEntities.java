package dev.hapax.client;

import com.google.protobuf.Timestamp;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Entities of one lifecycle in memory, without what the client does not see: {@code close} leads
 * from approved to closed, through closing for an admin and without a claim for the system.
 */
public final class FakeEntities extends EntityServiceGrpc.EntityServiceImplBase {

  public static final Duration STALE_AFTER = Duration.ofMinutes(5);

  /** True: its module recovers it, also when a caller wants to begin. */
  public volatile boolean remote;

  /** True: a Begin is answered with nothing, as by a server that is newer than the client. */
  public volatile boolean strange;

  private static final class Row {
    String status = "";
    long version = 1;
    long fence = 100;
    String heldBy = "";
    String attemptId = "";
    long leaseUntil;
    String endedWith = "";
    String ended = "";
    ClaimLostReason lostBy = ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;

    boolean isClaimed() {
      return status.equals("closing");
    }
  }

  private final Timing timing;
  private final Faults faults;
  private final Map<String, Row> rows = new TreeMap<>();
  private final List<Object> requests = new ArrayList<>();
  private final Set<String> deletions = ConcurrentHashMap.newKeySet();
  private final List<Runnable> parked = new ArrayList<>();

  public FakeEntities(Timing timing, Faults faults) {
    this.timing = timing;
    this.faults = faults;
  }

  /** Every request of this type, oldest first. */
  public synchronized <Q> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private synchronized <Q> Q keep(Q request) {
    requests.add(request);
    return request;
  }

  public synchronized void put(String id, String status) {
    row(id).status = status;
  }

  private Row row(String id) {
    return rows.computeIfAbsent(id, absent -> new Row());
  }

  public synchronized String status(String id) {
    return row(id).status;
  }

  /** As after the end of a lease, or by an operator: the entity is back, the holder fenced. */
  public void takeBack(String id, ClaimLostReason reason) {
    synchronized (this) {
      Row row = row(id);
      row.lostBy = reason;
      revert(row);
    }
    wake();
  }

  private static void revert(Row row) {
    row.status = "approved";
    row.fence++;
    row.version++;
  }

  private void wake() {
    List<Runnable> woken;
    synchronized (this) {
      woken = List.copyOf(parked);
      parked.clear();
    }
    woken.forEach(Runnable::run);
  }

  @Override
  public void beginAction(BeginActionRequest request, StreamObserver<BeginActionResponse> answer) {
    keep(request);
    long until = timing.nanos() + ProtoTimes.toJava(request.getWait()).toNanos();
    long arrived = timing.nanos();
    faults.serve("beginAction", answer, reply -> begin(request, arrived, until, reply));
  }

  private void begin(
      BeginActionRequest request, long arrived, long until, Consumer<BeginActionResponse> reply) {
    BeginActionResponse response;
    synchronized (this) {
      response = decide(request, arrived);
      if (response.hasClaimFailed() && timing.nanos() < until) {
        boolean[] woken = {false};
        Runnable again =
            () -> {
              synchronized (woken) {
                if (woken[0]) {
                  return;
                }
                woken[0] = true;
              }
              begin(request, arrived, until, reply);
            };
        parked.add(again);
        timing.after(Duration.ofNanos(until - timing.nanos()), again);
        return;
      }
    }
    reply.accept(response);
  }

  private BeginActionResponse decide(BeginActionRequest request, long arrived) {
    BeginActionResponse.Builder response = BeginActionResponse.newBuilder();
    if (strange) {
      return response.build();
    }
    Row row = rows.get(request.getEntityId());
    if (row == null) {
      throw FakeRuns.refusal(
          Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND, Map.of());
    }
    boolean exclusive = request.getRequester().equals("admin");
    if (row.isClaimed() && exclusive && row.attemptId.equals(request.getAttemptId())) {
      return grant(row, request, arrived, true);
    }
    if (!exclusive && !request.getRequester().equals("system")) {
      return response.setNotAllowed(BeginActionResponse.NotAllowed.newBuilder()).build();
    }
    if (row.isClaimed() && timing.nanos() < row.leaseUntil) {
      return response.setClaimFailed(claimFailed(row)).build();
    }
    if (request.getExpectedVersion() != 0 && request.getExpectedVersion() != row.version) {
      throw FakeRuns.refusal(
          Status.Code.ABORTED,
          ErrorReason.ERROR_REASON_CONCURRENCY_ERROR,
          Map.of("version", Long.toString(row.version)));
    }
    if (row.isClaimed() && remote) {
      return response.setNeedsRecovery(BeginActionResponse.NeedsRecovery.newBuilder()).build();
    }
    if (row.isClaimed()) {
      revert(row);
    }
    if (!row.status.equals("approved")) {
      return response
          .setWrongStatus(BeginActionResponse.WrongStatus.newBuilder().setStatus(row.status))
          .build();
    }
    return grant(row, request, arrived, false);
  }

  private BeginActionResponse.ClaimFailed claimFailed(Row row) {
    return BeginActionResponse.ClaimFailed.newBuilder()
        .setHolder(row.heldBy)
        .setSince(Timestamp.newBuilder().setSeconds(1_000))
        .setLeaseRemaining(ProtoTimes.toProto(Duration.ofNanos(row.leaseUntil - timing.nanos())))
        .setMessage("another operation is already in progress: " + row.heldBy)
        .build();
  }

  private BeginActionResponse grant(
      Row row, BeginActionRequest request, long arrived, boolean reentrant) {
    boolean exclusive = request.getRequester().equals("admin");
    Duration lease = request.hasLease() ? ProtoTimes.toJava(request.getLease()) : STALE_AFTER;
    if (exclusive) {
      if (!reentrant) {
        row.fence++;
        row.version++;
        row.status = "closing";
      }
      row.attemptId = request.getAttemptId();
      row.heldBy = request.getActor().isEmpty() ? request.getRequester() : request.getActor();
      row.leaseUntil = timing.nanos() + lease.toNanos();
    }
    String kind = exclusive ? "exclusive" : "open";
    return BeginActionResponse.newBuilder()
        .setGranted(
            BeginActionResponse.Granted.newBuilder()
                .setClaim(
                    Claim.newBuilder()
                        .setId(
                            request.getEntityId()
                                + "/"
                                + kind
                                + "/"
                                + row.version
                                + "/"
                                + request.getAttemptId())
                        .setFence(exclusive ? row.fence : row.fence + 1))
                .setEntity(entity(request.getEntityId(), row))
                .setAction("CloseBillingActionUseCase")
                // the time it waited is part of it
                .setLeaseRemaining(ProtoTimes.toProto(lease.plusNanos(timing.nanos() - arrived)))
                .setReentrant(reentrant)
                .setExclusive(exclusive))
        .build();
  }

  private static Entity entity(String id, Row row) {
    return Entity.newBuilder()
        .setLifecycle("billing")
        .setId(id)
        .setStatus(row.status)
        .setVersion(row.version)
        .setFence(row.fence)
        .build();
  }

  /** Null = the claim holds nothing. */
  private @Nullable Row held(Claim claim) {
    String[] id = claim.getId().split("/", 4);
    Row row = row(id[0]);
    boolean holds =
        id[1].equals("exclusive")
            ? row.isClaimed() && row.fence == claim.getFence()
            : row.version == Long.parseLong(id[2]);
    return holds ? row : null;
  }

  private boolean hasEnded(Claim claim, String verb) {
    Row row = row(id(claim));
    return row.ended.equals(claim.getId()) && row.endedWith.equals(verb);
  }

  private void end(Row row, Claim claim, String verb, String status) {
    row.ended = claim.getId();
    row.endedWith = verb;
    row.status = status;
    row.fence = claim.getFence();
    row.version++;
  }

  private static String id(Claim claim) {
    return claim.getId().split("/", 4)[0];
  }

  private ClaimLost lost(Claim claim) {
    if (row(id(claim)).ended.equals(claim.getId())) {
      return ClaimLost.newBuilder().setReason(ClaimLostReason.CLAIM_LOST_REASON_ENDED).build();
    }
    return ClaimLost.newBuilder()
        .setReason(
            claim.getId().contains("/open/")
                ? ClaimLostReason.CLAIM_LOST_REASON_VERSION
                : row(id(claim)).lostBy)
        .build();
  }

  @Override
  public void renewAction(RenewActionRequest request, StreamObserver<RenewActionResponse> answer) {
    keep(request);
    faults.serve("renewAction", answer, reply -> reply.accept(renew(request)));
  }

  private synchronized RenewActionResponse renew(RenewActionRequest request) {
    Row row = held(request.getClaim());
    if (row == null) {
      return RenewActionResponse.newBuilder().setClaimLost(lost(request.getClaim())).build();
    }
    Duration lease = request.hasLease() ? ProtoTimes.toJava(request.getLease()) : STALE_AFTER;
    row.leaseUntil = timing.nanos() + lease.toNanos();
    return RenewActionResponse.newBuilder()
        .setRenewed(LeaseRenewed.newBuilder().setLeaseRemaining(ProtoTimes.toProto(lease)))
        .build();
  }

  @Override
  public void completeAction(
      CompleteActionRequest request, StreamObserver<CompleteActionResponse> answer) {
    keep(request);
    faults.serve(
        "completeAction",
        answer,
        reply -> {
          reply.accept(complete(request.getClaim()));
          wake();
        });
  }

  /** A transaction has completed the action of this claim. */
  public synchronized void completeInTransaction(Claim claim) {
    end(Objects.requireNonNull(held(claim)), claim, "complete", "closed");
  }

  private synchronized CompleteActionResponse complete(Claim claim) {
    boolean already = hasEnded(claim, "complete");
    Row row = already ? row(id(claim)) : held(claim);
    if (row == null) {
      return CompleteActionResponse.newBuilder().setClaimLost(lost(claim)).build();
    }
    if (!already) {
      end(row, claim, "complete", "closed");
    }
    return CompleteActionResponse.newBuilder()
        .setCompleted(
            CompleteActionResponse.Completed.newBuilder()
                .setEntity(entity(id(claim), row))
                .setAlready(already))
        .build();
  }

  @Override
  public void failAction(FailActionRequest request, StreamObserver<FailActionResponse> answer) {
    keep(request);
    faults.serve(
        "failAction",
        answer,
        reply -> {
          reply.accept(fail(request.getClaim()));
          wake();
        });
  }

  private synchronized FailActionResponse fail(Claim claim) {
    boolean already = hasEnded(claim, "fail");
    Row row = already ? row(id(claim)) : held(claim);
    if (row == null) {
      return FailActionResponse.newBuilder().setClaimLost(lost(claim)).build();
    }
    if (!already) {
      end(row, claim, "fail", "approved");
    }
    return FailActionResponse.newBuilder()
        .setFailed(
            FailActionResponse.Failed.newBuilder()
                .setEntity(entity(id(claim), row))
                .setAlready(already))
        .build();
  }

  @Override
  public void createEntity(
      CreateEntityRequest request, StreamObserver<CreateEntityResponse> answer) {
    keep(request);
    faults.serve("createEntity", answer, reply -> reply.accept(create(request)));
  }

  private synchronized CreateEntityResponse create(CreateEntityRequest request) {
    boolean created = !rows.containsKey(request.getEntityId());
    Row row = row(request.getEntityId());
    if (created) {
      row.status = request.getStatus();
    }
    return CreateEntityResponse.newBuilder()
        .setEntity(entity(request.getEntityId(), row))
        .setAlready(!created)
        .build();
  }

  @Override
  public void getEntity(GetEntityRequest request, StreamObserver<GetEntityResponse> answer) {
    faults.serve(
        "getEntity",
        answer,
        reply -> {
          synchronized (this) {
            Row row = rows.get(request.getEntityId());
            if (row == null) {
              throw FakeRuns.refusal(
                  Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND, Map.of());
            }
            reply.accept(
                GetEntityResponse.newBuilder()
                    .setEntity(entity(request.getEntityId(), row))
                    .build());
          }
        });
  }

  /** Two to a page, whatever is asked for. */
  @Override
  public void listEntities(
      ListEntitiesRequest request, StreamObserver<ListEntitiesResponse> answer) {
    keep(request);
    faults.serve(
        "listEntities",
        answer,
        reply -> {
          List<Entity> found =
              rows.entrySet().stream()
                  .filter(row -> row.getKey().compareTo(request.getPageToken()) > 0)
                  .filter(
                      row ->
                          request.getStatusesCount() == 0
                              || request.getStatusesList().contains(row.getValue().status))
                  .map(row -> entity(row.getKey(), row.getValue()))
                  .toList();
          List<Entity> page = found.subList(0, Math.min(2, found.size()));
          reply.accept(
              ListEntitiesResponse.newBuilder()
                  .addAllEntities(page)
                  .setNextPageToken(found.size() > 2 ? page.get(1).getId() : "")
                  .build());
        });
  }

  @Override
  public void listEntityEvents(
      ListEntityEventsRequest request, StreamObserver<ListEntityEventsResponse> answer) {
    faults.serve(
        "listEntityEvents",
        answer,
        reply -> {
          long from =
              request.getPageToken().isEmpty()
                  ? request.getAfterVersion() + 1
                  : Long.parseLong(request.getPageToken());
          long last = Objects.requireNonNull(rows.get(request.getEntityId())).version;
          reply.accept(
              ListEntityEventsResponse.newBuilder()
                  .addAllEvents(
                      LongStream.rangeClosed(from, Math.min(from, last))
                          .mapToObj(version -> EntityEvent.newBuilder().setVersion(version).build())
                          .toList())
                  .setNextPageToken(from < last ? Long.toString(from + 1) : "")
                  .build());
        });
  }

  @Override
  public void releaseClaim(
      ReleaseClaimRequest request, StreamObserver<ReleaseClaimResponse> answer) {
    keep(request);
    faults.serve(
        "releaseClaim",
        answer,
        reply -> {
          takeBack(request.getEntityId(), ClaimLostReason.CLAIM_LOST_REASON_RELEASED);
          reply.accept(
              ReleaseClaimResponse.newBuilder()
                  .setEntity(entity(request.getEntityId(), row(request.getEntityId())))
                  .build());
        });
  }

  @Override
  public void deleteEntity(
      DeleteEntityRequest request, StreamObserver<DeleteEntityResponse> answer) {
    keep(request);
    faults.serve(
        "deleteEntity",
        answer,
        reply -> {
          boolean already = !deletions.add(request.getRequestId());
          boolean deleted = already || remove(request.getEntityId());
          reply.accept(
              DeleteEntityResponse.newBuilder().setDeleted(deleted).setAlready(already).build());
        });
  }

  private synchronized boolean remove(String id) {
    return rows.remove(id) != null;
  }
}
