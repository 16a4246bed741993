package dev.hapax.console.overview;

import com.google.protobuf.Timestamp;
import dev.hapax.console.entity.EntityRow;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds work whose holder let its lease expire, and that nothing has taken over. */
record ExpiredLeases(Visit visit) {
  /** The holders that are read, of which most are alive. */
  private static final int READ = 500;

  private static final int MOST = 20;

  /** A lease that has just expired may be about to be taken over. */
  private static final Duration GRACE = Duration.ofMinutes(1);

  Stream<Problem> read() {
    return Stream.concat(entities().limit(MOST), operations().limit(MOST));
  }

  private Stream<Problem> entities() {
    var request =
        ListClaimsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .addKinds(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED)
            .setSinceBefore(bound())
            .setPageSize(READ)
            .build();
    return visit.api().entities().listClaims(request).getClaimsList().stream()
        .filter(claim -> claim.hasLeaseUntil() && hasExpired(claim.getLeaseUntil()))
        .map(this::entity);
  }

  private Problem entity(HeldClaim claim) {
    return new Problem(
        "entity " + claim.getEntity().getLifecycle() + "/" + claim.getEntity().getId(),
        EntityRow.href(claim.getEntity()),
        "the lease of its holder has expired",
        Optional.of(DisplayTime.of(claim.getLeaseUntil(), visit.now())),
        "It is freed by " + claim.getFreedBy() + ".");
  }

  private Stream<Problem> operations() {
    var request =
        ListOperationsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .addStates(OperationState.OPERATION_STATE_IN_PROGRESS)
            .setStartedBefore(bound())
            .setPageSize(READ)
            .build();
    return visit.api().operations().listOperations(request).getOperationsList().stream()
        .filter(operation -> hasExpired(operation.getLeaseUntil()))
        .map(this::operation);
  }

  private Problem operation(Operation operation) {
    return Problem.of(
        operation,
        "the lease of its holder has expired, and no call has taken it over",
        DisplayTime.of(operation.getLeaseUntil(), visit.now()),
        "Repeat the call with its request id.");
  }

  private boolean hasExpired(Timestamp lease) {
    return Instant.ofEpochSecond(lease.getSeconds(), lease.getNanos()).isBefore(before());
  }

  private Timestamp bound() {
    return Timestamp.newBuilder().setSeconds(before().getEpochSecond()).build();
  }

  private Instant before() {
    return visit.now().minus(GRACE);
  }
}
