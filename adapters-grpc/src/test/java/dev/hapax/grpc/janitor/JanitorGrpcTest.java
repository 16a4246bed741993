package dev.hapax.grpc.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.entity.ClaimServices;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JanitorGrpcTest {
  private static final Duration LONG = seconds(30);
  private final ClaimServices services = new ClaimServices();

  @AfterEach
  void close() {
    services.close();
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private static JanitorContract.Builder contract(String... states) {
    return JanitorContract.newBuilder()
        .setModule(ClaimServices.MODULE)
        .addAllClaimStates(List.of(states));
  }

  private DeclareJanitorResponse declare(JanitorContract.Builder contract) {
    return services
        .janitors()
        .declareJanitor(DeclareJanitorRequest.newBuilder().setContract(contract).build());
  }

  private List<Janitor> list() {
    return services
        .janitors()
        .listJanitors(ListJanitorsRequest.getDefaultInstance())
        .getJanitorsList();
  }

  private static PollRecoveriesRequest.Builder polling() {
    return PollRecoveriesRequest.newBuilder()
        .setModule(ClaimServices.MODULE)
        .setWait(Durations.ZERO);
  }

  private PollRecoveriesResponse poll(PollRecoveriesRequest.Builder request) {
    return services.janitors().pollRecoveries(request.build());
  }

  private Recovery recovery() {
    return poll(polling().setWorkerId("desk-1")).getRecoveries(0);
  }

  private CompleteRecoveryResponse say(Claim claim, RecoveryOutcome outcome) {
    return services
        .janitors()
        .completeRecovery(
            CompleteRecoveryRequest.newBuilder().setClaim(claim).setOutcome(outcome).build());
  }

  @Test
  @DisplayName(
      "given a contract with unset fields, then defaults are returned, and a repeat is a no-op")
  void declares() {
    var declared = declare(contract("closing", "other"));
    assertThat(declared.getAlready()).isFalse();
    assertThat(declared.getContract())
        .isEqualTo(
            contract("closing", "other")
                .setStaleAfter(seconds(300))
                .setEvery(seconds(120))
                .setMode(JanitorMode.JANITOR_MODE_HOSTED)
                .build());
    assertThat(declare(declared.getContract().toBuilder()).getAlready()).isTrue();
    assertThat(declare(contract("closing").setStaleAfter(seconds(1))).getAlready()).isFalse();
  }

  @Test
  @DisplayName("given a declared contract, then the list shows its actor and reason")
  void attribution() {
    var _ = declare(contract("closing"));
    assertThat(list().getFirst().getDeclaredBy()).isEqualTo("client");
    var _ =
        services
            .janitors()
            .declareJanitor(
                DeclareJanitorRequest.newBuilder()
                    .setContract(contract("closing", "other"))
                    .setActor("ann")
                    .setReason("one more")
                    .build());
    assertThat(list().getFirst().getDeclaredBy()).isEqualTo("ann");
    assertThat(list().getFirst().getReason()).isEqualTo("one more");
  }

  @Test
  @DisplayName(
      "given a contract for all claim states, then it covers those of new lifecycles " + "[C5]")
  void coversAll() {
    assertThat(declare(contract().setAllClaimStates(true)).getContract().getAllClaimStates())
        .isTrue();
    services.apply(ClaimServices.BILLING);
    services.create("inv-1");
    assertThat(list().getFirst().getCoverageList())
        .singleElement()
        .matches(coverage -> coverage.getCovered());
    var late = services.claimed("inv-1").getClaim();
    services.afterTheLease();
    var _ = services.sweep();
    assertThat(services.get("inv-1").getStatus()).isEqualTo("approved");
    assertThat(services.complete(late).hasClaimLost()).isTrue();
    var both = Refusal.of(() -> declare(contract("closing").setAllClaimStates(true)));
    assertThat(both.fields()).containsExactly("contract.claim_states");
  }

  @Test
  @DisplayName(
      "given a contract that would uncover a claim state, then it is rejected by " + "name [C5]")
  void uncovers() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var refused = Refusal.of(() -> declare(contract()));
    assertThat(refused.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refused.reason()).isEqualTo("CLAIM_STATE_UNCOVERED");
    assertThat(refused.metadata())
        .containsEntry("lifecycle", "billing")
        .containsEntry("claim_state", "closing")
        .containsEntry("module", ClaimServices.MODULE);
    assertThat(list().getFirst().getContract().getClaimStatesList()).containsExactly("closing");
  }

  @Test
  @DisplayName("given janitors, then coverage, last sweep and lag of each are listed [C5]")
  void listed() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var fresh = list().getFirst();
    assertThat(fresh.getModule()).isEqualTo(ClaimServices.MODULE);
    assertThat(fresh.getCoverageList())
        .containsExactly(
            Janitor.Coverage.newBuilder()
                .setLifecycle("billing")
                .setClaimState("closing")
                .setCovered(true)
                .build());
    assertThat(fresh.hasLastSweep()).isFalse();
    assertThat(fresh.getLag()).isEqualTo(seconds(0));
    assertThat(fresh.getOverdue()).isFalse();

    services.clock.advance(java.time.Duration.ofSeconds(151));
    assertThat(list().getFirst().getLag()).isEqualTo(seconds(31));
    assertThat(list().getFirst().getOverdue()).isTrue();

    var _ = services.sweep();
    var swept = list().getFirst();
    assertThat(swept.hasLastSweep()).isTrue();
    assertThat(swept.getLag()).isEqualTo(seconds(0));
    assertThat(swept.getOverdue()).isFalse();
  }

  @Test
  @DisplayName("given janitors in two workspaces, then each lists its own by module, page by page")
  void pages() {
    for (var module : List.of("c", "a", "b")) {
      declare(JanitorContract.newBuilder().setModule(module));
    }
    var modules = new ArrayList<String>();
    var request = ListJanitorsRequest.newBuilder().setPageSize(2);
    do {
      var page = services.janitors().listJanitors(request.build());
      page.getJanitorsList().forEach(janitor -> modules.add(janitor.getModule()));
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    assertThat(modules).containsExactly("a", "b", "c");
    var elsewhere = ListJanitorsRequest.newBuilder().setWorkspace("elsewhere").build();
    assertThat(services.janitors().listJanitors(elsewhere).getJanitorsList()).isEmpty();
  }

  @Test
  @DisplayName(
      "a sweep reverts expired claims; C10: it keeps live ones and those of other "
          + "modules [C6]")
  void sweeps() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    services.create("inv-2");
    var _ = services.claimed("inv-1");
    services.clock.advance(java.time.Duration.ofSeconds(299));
    var alive = services.claimed("inv-2").getClaim();
    declare(JanitorContract.newBuilder().setModule("other").addClaimStates("closing"));
    services.clock.advance(java.time.Duration.ofSeconds(1));

    var others = SweepRequest.newBuilder().setModule("other").build();
    assertThat(services.janitors().sweep(others).getFreed()).isZero();
    assertThat(services.sweep())
        .isEqualTo(SweepResponse.newBuilder().setFreed(1).setComplete(true).build());
    assertThat(services.get("inv-1").getStatus()).isEqualTo("approved");
    assertThat(services.get("inv-1").hasClaim()).isFalse();
    assertThat(services.get("inv-2").getStatus()).isEqualTo("closing");
    assertThat(services.complete(alive).hasCompleted()).isTrue();
    assertThat(services.sweep().getFreed()).isZero();
  }

  @Test
  @DisplayName("given a janitor of the other mode, or none, then the error says so")
  void kinds() {
    var unknown = Refusal.of(services::sweep);
    assertThat(unknown.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(unknown.reason()).isEqualTo("JANITOR_NOT_FOUND");
    assertThat(Refusal.of(() -> poll(polling())).reason()).isEqualTo("JANITOR_NOT_FOUND");

    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    var hosted = Refusal.of(() -> poll(polling()));
    assertThat(hosted.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(hosted.reason()).isEqualTo("JANITOR_MODE");
    assertThat(hosted.metadata()).containsEntry("mode", "HOSTED");

    services.declare(JanitorMode.JANITOR_MODE_REMOTE);
    assertThat(Refusal.of(services::sweep).metadata()).containsEntry("mode", "REMOTE");
  }

  @Test
  @DisplayName(
      "given an expired claim, then a remote module polls it with its fence and " + "decides [C6]")
  void recovers() {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    var lost = services.claimed("inv-1");
    assertThat(poll(polling()).getRecoveriesCount()).isZero();
    services.afterTheLease();

    var recovery = recovery();
    assertThat(recovery.getClaim().getFence()).isGreaterThan(lost.getClaim().getFence());
    assertThat(recovery.getLost().getFence()).isEqualTo(lost.getClaim().getFence());
    assertThat(recovery.getLost().getStepKey()).isEqualTo("close");
    assertThat(recovery.getLost().getRequester()).isEqualTo("admin");
    assertThat(recovery.getLost().getHolder()).isEqualTo("ann");
    assertThat(recovery.getLost().getAction()).isEqualTo("CloseBillingActionUseCase");
    assertThat(recovery.getLost().getSuccessfulState()).isEqualTo("closed");
    assertThat(recovery.getLost().getRevertTo()).isEqualTo("approved");
    assertThat(recovery.getLeaseRemaining().getSeconds()).isBetween(60L, 70L);
    assertThat(recovery.getEntity().getStatus()).isEqualTo("closing");
    assertThat(recovery.getEntity().getClaim().getRecoveringBy()).isEqualTo("desk-1");
    assertThat(poll(polling()).getRecoveriesCount()).isZero();

    var complete = RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
    var done = say(recovery.getClaim(), complete).getCompleted();
    assertThat(done.getAlready()).isFalse();
    assertThat(done.getEntity().getStatus()).isEqualTo("closed");
    assertThat(say(recovery.getClaim(), complete).getCompleted().getAlready()).isTrue();
    assertThat(
            say(recovery.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT)
                .getClaimLost()
                .getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    // C7
    assertThat(services.complete(lost.getClaim()).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
  }

  @Test
  @DisplayName(
      "given a recovery whose lease expires, then it is delivered again with a new " + "fence [C6]")
  void reverts() {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    var _ = services.claimed("inv-1");
    services.afterTheLease();
    var first = recovery().getClaim();
    services.clock.advance(java.time.Duration.ofSeconds(60));
    var second = recovery().getClaim();
    assertThat(second.getFence()).isGreaterThan(first.getFence());
    var revert = RecoveryOutcome.RECOVERY_OUTCOME_REVERT;
    assertThat(say(first, revert).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(say(second, revert).getCompleted().getEntity().getStatus()).isEqualTo("approved");
  }

  @Test
  @DisplayName(
      "given a repeated poll, then it gets the same recoveries with the same fences " + "[X1]")
  void again() {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    IntStream.rangeClosed(2, 5).forEach(i -> services.create("inv-" + i));
    IntStream.rangeClosed(1, 5).forEach(i -> services.claimed("inv-" + i));
    services.afterTheLease();
    var request = polling().setAttemptId("poll").setMaxRecoveries(3);
    var first = poll(request).getRecoveriesList().stream().map(Recovery::getClaim).toList();
    assertThat(first).hasSize(3);
    assertThat(poll(request).getRecoveriesList())
        .extracting(Recovery::getClaim)
        .containsExactlyInAnyOrderElementsOf(first);
    assertThat(poll(polling().setMaxRecoveries(10)).getRecoveriesCount()).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "given a waiting poll, then an expired claim ends it, and a cancelled one frees its place")
  void waits() throws Exception {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    var _ = services.claimed("inv-1");
    services.clock.advance(java.time.Duration.ofSeconds(290));
    var stub = JanitorServiceGrpc.newFutureStub(services.channel);
    var gone = stub.pollRecoveries(polling().setWait(LONG).build());
    assertThat(services.places.size()).isOne();
    gone.cancel(true);
    assertThat(services.places.size()).isZero();

    var waiting = stub.pollRecoveries(polling().setWait(LONG).build());
    services.timer.advance(java.time.Duration.ofSeconds(20));
    assertThat(waiting.get(10, TimeUnit.SECONDS).getRecoveriesCount()).isOne();
  }

  @Test
  @DisplayName(
      "given an unknown recovery claim, then it is lost, with nothing but the reason " + "[X4]")
  void foreign() {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    var lost = services.claimed("inv-1").getClaim();
    services.afterTheLease();
    var claim = recovery().getClaim();
    var revert = RecoveryOutcome.RECOVERY_OUTCOME_REVERT;
    for (var foreign :
        List.of(
            lost,
            claim.toBuilder().setFence(claim.getFence() + 1).build(),
            Claim.newBuilder().setId("recovery_x").build())) {
      assertThat(say(foreign, revert).getClaimLost()).isEqualTo(unknown("default"));
    }
    var elsewhere =
        CompleteRecoveryRequest.newBuilder()
            .setWorkspace("elsewhere")
            .setClaim(claim)
            .setOutcome(revert)
            .build();
    assertThat(services.janitors().completeRecovery(elsewhere).getClaimLost())
        .isEqualTo(unknown("elsewhere"));
    assertThat(say(claim, revert).hasCompleted()).isTrue();
  }

  private static ClaimLost unknown(String workspace) {
    return ClaimLost.newBuilder()
        .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
        .setWorkspace(workspace)
        .build();
  }
}
