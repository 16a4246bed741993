package dev.hapax.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginActionResponse.Granted;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc.JanitorServiceBlockingStub;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.RunServiceGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Entities and janitors in memory, as their leases end when the test says so. */
class InMemoryClaimsTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final String BILLING =
      """
      {"lifecycle": "billing", "module": "billing", "status_types": ["approved", "closing", "closed"],
       "steps": [{"step_key": "close", "status": "approved", "claim_state": ["closing", "approved"],
         "successful_state": "closed", "action": "Close", "success_after_effect": "mail"}]}
      """;

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final EntityServiceBlockingStub entities =
      EntityServiceGrpc.newBlockingStub(hapax.channel());
  private final JanitorServiceBlockingStub janitors =
      JanitorServiceGrpc.newBlockingStub(hapax.channel());

  @AfterEach
  void stop() {
    hapax.close();
  }

  private void invoice(JanitorMode mode) {
    var _ =
        janitors.declareJanitor(
            DeclareJanitorRequest.newBuilder()
                .setContract(
                    JanitorContract.newBuilder()
                        .setModule("billing")
                        .addClaimStates("closing")
                        .setMode(mode))
                .build());
    var _ =
        LifecycleServiceGrpc.newBlockingStub(hapax.channel())
            .applyLifecycles(ApplyLifecyclesRequest.newBuilder().addLifecycles(BILLING).build());
    var _ =
        entities.createEntity(
            CreateEntityRequest.newBuilder()
                .setLifecycle("billing")
                .setEntityId("i-1")
                .setStatus("approved")
                .build());
  }

  private static BeginActionRequest.Builder begin() {
    return BeginActionRequest.newBuilder()
        .setLifecycle("billing")
        .setEntityId("i-1")
        .setStepKey("close")
        .setRequester("admin");
  }

  private Granted granted() {
    return entities.beginAction(begin().build()).getGranted();
  }

  private String status() {
    return entities
        .getEntity(GetEntityRequest.newBuilder().setLifecycle("billing").setEntityId("i-1").build())
        .getEntity()
        .getStatus();
  }

  private CompleteActionResponse complete(Claim claim) {
    return entities.completeAction(CompleteActionRequest.newBuilder().setClaim(claim).build());
  }

  @Test
  @DisplayName("an action moves the entity and starts its after-effect")
  void acts() {
    invoice(JanitorMode.JANITOR_MODE_HOSTED);

    assertThat(complete(granted().getClaim()).hasCompleted()).isTrue();

    assertThat(status()).isEqualTo("closed");
    assertThat(
            RunServiceGrpc.newBlockingStub(hapax.channel())
                .listRuns(ListRunsRequest.getDefaultInstance())
                .getRunsList())
        .singleElement()
        .satisfies(run -> assertThat(run.getDefinitionVersion()).isEqualTo("mail"));
  }

  @Test
  @DisplayName("a hosted janitor reverts an entity when its lease expires, and not before")
  void hosted() {
    invoice(JanitorMode.JANITOR_MODE_HOSTED);
    var claim = granted().getClaim();

    hapax.advance(LEASE.minusMillis(1));
    assertThat(status()).isEqualTo("closing");
    hapax.advance(Duration.ofDays(14));
    assertThat(status()).isEqualTo("approved");
    assertThat(complete(claim).hasClaimLost()).isTrue();
  }

  @Test
  @DisplayName(
      "given a remote janitor, when a lease expires, then the module's poll gets the recovery")
  void remote() throws Exception {
    invoice(JanitorMode.JANITOR_MODE_REMOTE);
    var lost = granted().getClaim();
    var request =
        PollRecoveriesRequest.newBuilder()
            .setModule("billing")
            .setWait(Durations.fromSeconds(30))
            .build();
    assertThat(
            janitors
                .pollRecoveries(request.toBuilder().setWait(Durations.ZERO).build())
                .getRecoveriesList())
        .isEmpty();

    hapax.advance(LEASE);

    assertThat(status()).isEqualTo("closing");
    assertThat(entities.beginAction(begin().build()).hasNeedsRecovery()).isTrue();
    var found =
        JanitorServiceGrpc.newFutureStub(hapax.channel())
            .pollRecoveries(request)
            .get(20, TimeUnit.SECONDS);
    assertThat(found.getRecoveriesList())
        .singleElement()
        .satisfies(
            recovery -> {
              assertThat(recovery.getLost().getFence()).isEqualTo(lost.getFence());
              assertThat(recovery.getClaim().getFence()).isGreaterThan(lost.getFence());
            });
  }

  @Test
  @DisplayName("given a waiting Begin, when the holder's lease expires, then it gets the entity")
  void waits() throws Exception {
    invoice(JanitorMode.JANITOR_MODE_HOSTED);
    var brief = Duration.ofSeconds(10);
    var first =
        entities
            .beginAction(begin().setLease(Durations.fromSeconds(brief.toSeconds())).build())
            .getGranted()
            .getClaim();
    var second =
        EntityServiceGrpc.newFutureStub(hapax.channel())
            .beginAction(begin().setWait(Durations.fromSeconds(30)).build());
    var refused = entities.beginAction(begin().build());
    assertThat(refused.getOutcomeCase()).isEqualTo(BeginActionResponse.OutcomeCase.CLAIM_FAILED);

    hapax.advance(brief);

    var granted = second.get(20, TimeUnit.SECONDS).getGranted();
    assertThat(granted.getClaim().getFence()).isGreaterThan(first.getFence());
  }
}
