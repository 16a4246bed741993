package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.SweepRequest;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("secured")
class ClaimLostAnswerIT {
  private final Deployment deployment = Deployment.shared();
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final ClaimCaller unlucky = caller.via(proxy.target());

  @AfterEach
  void close() {
    unlucky.close();
    caller.close();
    proxy.close();
  }

  private <R> R sendAgain(Function<ClaimCaller, R> call) {
    return proxy.sendAgain(() -> call.apply(unlucky));
  }

  @Test
  @DisplayName("ApplyLifecycles sent again is one change [X1, C4]")
  void apply() {
    var json = ClaimCaller.BILLING.replace("SendBillingEmails", "SendLetters");
    var answer = sendAgain(c -> c.apply(json));
    assertThat(answer.getAlready()).isTrue();
    assertThat(answer.getLifecycle().getVersion()).isEqualTo(2);
  }

  @Test
  @DisplayName("ApplyLifecycles that takes a status away, sent again, is one change [X1, C4]")
  void retire() {
    var json =
        ClaimCaller.BILLING
            .replace("\"draft\", ", "")
            .replaceAll("\\{ \"step_id\": 10,[^}]*},", "")
            .replace("\"successful_state\": \"draft\"", "\"successful_state\": \"approved\"");
    var answer = sendAgain(c -> c.apply(json));
    assertThat(answer.getAlready()).isTrue();
    assertThat(answer.getLifecycle().getVersion()).isEqualTo(2);
    assertThat(answer.getLifecycle().getStatusTypesList()).doesNotContain("draft");
  }

  @Test
  @DisplayName("DeclareJanitor sent again is one declaration [X1, C5]")
  void declare() {
    var request = caller.declaration(ClaimCaller.contract().setEvery(Caller.seconds(7)));
    assertThat(sendAgain(c -> c.janitors().declareJanitor(request)).getAlready()).isTrue();
    assertThat(caller.listJanitors()).hasSize(1);
    assertThat(caller.listJanitors().getFirst().getContract().getEvery())
        .isEqualTo(Caller.seconds(7));
  }

  @Test
  @DisplayName("CreateEntity sent again gets the entity that was created [X1]")
  void create() {
    var request = caller.creation("1", "draft").build();
    var answer = sendAgain(c -> c.entities().createEntity(request));
    assertThat(answer.getAlready()).isTrue();
    assertThat(answer.getEntity().getVersion()).isOne();
    assertThat(caller.history("1")).hasSize(1);
  }

  @Test
  @DisplayName("BeginAction sent again gets the claim that was granted [X1, C1]")
  void begin() {
    var _ = caller.approved("1");
    var request = caller.begin("1").setExpectedVersion(1);
    var granted = sendAgain(c -> c.granted(request));
    assertThat(granted.getReentrant()).isTrue();
    assertThat(granted.getEntity().getVersion()).isEqualTo(2);
    assertThat(caller.send(caller.begin("1")).hasClaimFailed()).isTrue();
    assertThat(caller.complete(granted.getClaim()).getCompleted().getAlready()).isFalse();
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN);
  }

  @Test
  @DisplayName("BeginAction without a claim state sent again gets the same claim [X1, C3]")
  void beginUnclaimed() {
    var _ = caller.approved("1");
    var request = caller.begin("1", "close", "system");
    var again = sendAgain(c -> c.granted(request));
    assertThat(again.getClaim()).isEqualTo(caller.granted(request).getClaim());
    assertThat(caller.get("1").getVersion()).isOne();
  }

  @Test
  @DisplayName("RenewAction sent again keeps the lease [X1, C6]")
  void renew() {
    var _ = caller.approved("1");
    var request =
        RenewActionRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(caller.claimed("1"))
            .setLease(Caller.seconds(3_600))
            .build();
    var renewed = sendAgain(c -> c.entities().renewAction(request)).getRenewed();
    assertThat(renewed.getLeaseRemaining()).isEqualTo(Caller.seconds(3_600));
    assertThat(caller.get("1").getVersion()).isEqualTo(2);
  }

  @ParameterizedTest(
      name = "given CompleteAction of {0} is repeated, then it succeeds once [X1, C9]")
  @ValueSource(strings = {"admin", "system"})
  void complete(String requester) {
    var _ = caller.approved("1");
    var claim = caller.granted(caller.begin("1", "close", requester)).getClaim();
    var completed = sendAgain(c -> c.complete(claim)).getCompleted();
    assertThat(completed.getAlready()).isTrue();
    assertThat(completed.getEntity()).isEqualTo(caller.get("1"));
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
    assertThat(caller.runs().list()).hasSize(requester.equals("admin") ? 1 : 0);
    // also after the entity has moved on
    var correction = caller.granted(caller.begin("1", "correct", "admin")).getClaim();
    assertThat(caller.complete(claim).getCompleted().getAlready()).isTrue();
    assertThat(caller.complete(correction).getCompleted().getAlready()).isFalse();
    assertThat(caller.complete(claim).getCompleted().getAlready()).isTrue();
  }

  @Test
  @DisplayName("FailAction sent again is one failure, of the kind sent first [X1, C2]")
  void fail() {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var kind = ActionFailureKind.ACTION_FAILURE_KIND_INVALID;
    assertThat(sendAgain(c -> c.fail(claim, kind)).getFailed().getAlready()).isTrue();
    var other = ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION;
    assertThat(caller.fail(claim, other).getFailed().getAlready()).isTrue();
    assertThat(caller.history("1")).hasSize(3);
    assertThat(caller.events("1").getLast().getActionFailed().getKind()).isEqualTo(kind);
    // also after another holder has begun
    var next = caller.claimed("1");
    assertThat(caller.fail(claim, kind).getFailed().getAlready()).isTrue();
    assertThat(caller.complete(next).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("ReleaseClaim sent again is one release, whatever version it expects [X1]")
  void release() {
    var _ = caller.approved("1");
    var _ = caller.claimed("1");
    var request = caller.release("1", "request").setExpectedVersion(2).build();
    assertThat(sendAgain(c -> c.entities().releaseClaim(request)).getAlready()).isTrue();
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED);
  }

  @Test
  @DisplayName("given it was created again since, DeleteEntity sent again deletes once [X1]")
  void delete() {
    var _ = caller.approved("1");
    var request = caller.deletion("1", "request").setExpectedVersion(1).build();
    var deleted = sendAgain(c -> c.entities().deleteEntity(request));
    assertThat(deleted.getDeleted()).isTrue();
    assertThat(deleted.getAlready()).isTrue();
    assertThat(caller.history("1")).containsExactly(EntityEventType.ENTITY_EVENT_TYPE_DELETED);

    var fence = caller.events("1").getLast().getDeleted().getFence();
    var created = caller.approved("1");
    assertThat(created.getVersion()).isEqualTo(3);
    assertThat(created.getFence()).isGreaterThan(fence);
    assertThat(caller.entities().deleteEntity(request).getAlready()).isTrue();
    var other = caller.deletion("1", "other").build();
    assertThat(caller.entities().deleteEntity(other).getAlready()).isFalse();
    var _ = caller.approved("1");
    assertThat(caller.entities().deleteEntity(request).getAlready()).isTrue();
    assertThat(caller.get("1").getVersion()).isEqualTo(5);
  }

  @Test
  @DisplayName("Sweep sent again takes nothing back twice [X1, C6]")
  void sweep() {
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    var request =
        SweepRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setModule(ClaimCaller.MODULE)
            .build();
    Condition.await(
        "it is taken back",
        () -> {
          var _ = sendAgain(c -> c.janitors().sweep(request));
          return caller.get("1").getStatus().equals("approved");
        });
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
  }

  @Test
  @DisplayName("PollRecoveries sent again holds the recovery that was lost [X1, C6]")
  void poll() {
    var recovery = sentAgain();
    assertThat(caller.poll(caller.polling("other").setWait(Caller.millis(0)))).isEmpty();
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_RECOVERY_BEGAN);
    assertThat(
            caller
                .recover(recovery.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT)
                .getCompleted()
                .getAlready())
        .isFalse();
  }

  private Recovery sentAgain() {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    var request = caller.polling("worker");
    var recoveries = sendAgain(c -> c.poll(request));
    assertThat(recoveries).hasSize(1);
    return recoveries.getFirst();
  }

  @Test
  @DisplayName("CompleteRecovery sent again is one verdict, with one effect [X1, C6, C9]")
  void recover() {
    var claim = sentAgain().getClaim();
    var verdict = RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
    assertThat(sendAgain(c -> c.recover(claim, verdict)).getCompleted().getAlready()).isTrue();
    assertThat(caller.history("1")).containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_RECOVERED);
    assertThat(caller.runs().list()).hasSize(1);
  }
}
