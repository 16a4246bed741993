package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.OnStale;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationState;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The health of a janitor that does not sweep. */
@Tag("nightly")
class JanitorHealthIT {
  /** A janitor may be later than its period by the time of a sweep, 30 s. */
  private static final Duration LATE = Duration.ofSeconds(90);

  private final Deployment deployment = Deployment.start();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
    deployment.close();
  }

  private ServingStatus health() {
    var service = "hapax.v1.JanitorService/%s/%s".formatted(caller.workspace(), ClaimCaller.MODULE);
    try {
      return HealthGrpc.newBlockingStub(caller.runs().caller().channel())
          .withDeadlineAfter(10, TimeUnit.SECONDS)
          .check(HealthCheckRequest.newBuilder().setService(service).build())
          .getStatus();
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
      return ServingStatus.SERVICE_UNKNOWN;
    }
  }

  private void awaitHealth(ServingStatus status) {
    Condition.await("its health is " + status, LATE, () -> health() == status);
  }

  @Test
  @DisplayName("a module that does not poll is NOT_SERVING, until it polls [C6]")
  void overdue() {
    caller.declare(ClaimCaller.remote().setEvery(Caller.millis(100)));
    awaitHealth(ServingStatus.SERVING);

    awaitHealth(ServingStatus.NOT_SERVING);
    assertThat(caller.listJanitors()).singleElement().matches(janitor -> janitor.getOverdue());

    assertThat(caller.poll(caller.polling("worker").setWait(Caller.millis(0)))).isEmpty();
    awaitHealth(ServingStatus.SERVING);
  }

  @Test
  @DisplayName("an operation that is to be held is listed when its holder is gone [C6]")
  void leftByItsHolder() {
    begin("live", OnStale.ON_STALE_HOLD, 60_000);
    assertThat(held()).isEmpty();

    for (var onStale : List.of(OnStale.ON_STALE_HOLD, OnStale.ON_STALE_TAKE_OVER)) {
      begin(onStale.name(), onStale, 100);
    }
    Condition.await("it is listed", () -> !held().isEmpty());

    assertThat(held())
        .singleElement()
        .satisfies(
            claim -> {
              assertThat(claim.getOperation().getRequestId())
                  .isEqualTo(OnStale.ON_STALE_HOLD.name());
              assertThat(claim.getOperation().getState())
                  .isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
              assertThat(claim.getFreedBy()).isEqualTo("ResolveOperation");
            });
  }

  private void begin(String requestId, OnStale onStale, int leaseMillis) {
    var begun =
        OperationServiceGrpc.newBlockingStub(caller.runs().caller().channel())
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .beginOperation(
                BeginOperationRequest.newBuilder()
                    .setWorkspace(caller.workspace())
                    .setOperation("pay")
                    .setRequestId(requestId)
                    .setOnStale(onStale)
                    .setLease(Caller.millis(leaseMillis))
                    .build());
    assertThat(begun.hasAcquired()).isTrue();
  }

  private List<HeldClaim> held() {
    return caller
        .entities()
        .listClaims(
            ListClaimsRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .addKinds(ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE)
                .build())
        .getClaimsList();
  }
}
