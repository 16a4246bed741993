package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import io.grpc.Status.Code;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fault")
@Tag("long")
class JanitorIT {
  private static final Duration STALE_AFTER = Duration.ofMillis(500);
  private static final Duration EVERY = Duration.ofMillis(300);

  /** What a sweep may take, by the promise. */
  private static final Duration SWEEP = Duration.ofSeconds(30);

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  /** One that looks often, with short leases. */
  private static JanitorContract.Builder brisk() {
    return ClaimCaller.contract()
        .setStaleAfter(Caller.millis((int) STALE_AFTER.toMillis()))
        .setEvery(Caller.millis((int) EVERY.toMillis()));
  }

  private static Instant instant(Timestamp at) {
    return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
  }

  @Test
  @DisplayName(
      "given a holder that dies, without another caller, then the janitor reverts "
          + "the entity [C6]")
  void crash() {
    caller.declare(brisk());
    var _ = caller.approved("1");
    var claim = caller.claimed("1");

    Condition.await("it is taken back", () -> caller.get("1").getStatus().equals("approved"));

    var events = caller.events("1");
    assertThat(caller.history("1"))
        .containsExactly(
            EntityEventType.ENTITY_EVENT_TYPE_CREATED,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
    assertThat(events.getLast().getActor()).contains(ClaimCaller.MODULE);
    var stuck = Duration.between(instant(events.get(1).getAt()), instant(events.get(2).getAt()));
    assertThat(stuck).isBetween(STALE_AFTER, STALE_AFTER.plus(EVERY).plus(SWEEP));
    assertThat(caller.complete(claim).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
  }

  @Test
  @DisplayName("a slow action that renews its lease is not taken back [C6]")
  void slow() {
    caller.declare(brisk());
    var _ = caller.approved("slow");
    var _ = caller.approved("crashed");
    // a busy machine may delay a renewal by seconds
    var begin = caller.begin("slow").setLease(Caller.seconds(6));
    var slow = caller.granted(begin);
    var began = System.nanoTime();
    var _ = caller.claimed("crashed");
    Condition.await(
        "it goes on for longer than its lease, and its neighbour is taken back",
        () -> {
          assertThat(caller.renew(slow.getClaim(), Caller.seconds(6)).hasRenewed()).isTrue();
          return System.nanoTime() - began > Duration.ofSeconds(7).toNanos()
              && caller.get("crashed").getStatus().equals("approved");
        });
    assertThat(caller.get("slow").getVersion()).isEqualTo(slow.getEntity().getVersion());
    assertThat(caller.complete(slow.getClaim()).getCompleted().getEntity().getStatus())
        .isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "two servers sweep, nothing is taken back twice, and one that dies is not " + "missed [C6]")
  void twoServers() {
    try (var two = Deployment.start()) {
      var second = two.add().awaitReady();
      try (var first = ClaimCaller.to(two.target());
          var other = first.via(second)) {
        first.declare(brisk());
        var ids = IntStream.range(0, 40).mapToObj(i -> "" + i).toList();
        ids.forEach(first::approved);
        for (var i = 0; i < ids.size(); i++) {
          var _ = (i % 2 == 0 ? first : other).claimedShortly(ids.get(i));
        }
        awaitApproved(other, ids);
        var last = ids.subList(30, 40);
        last.forEach(first::claimedShortly);
        two.server().kill9();
        awaitApproved(other, last);

        for (var id : ids) {
          var began = last.contains(id) ? 2 : 1;
          assertThat(other.history(id))
              .as(id)
              .hasSize(1 + 2 * began)
              .filteredOn(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED::equals)
              .hasSize(began);
        }
      }
    }
  }

  private static void awaitApproved(ClaimCaller caller, List<String> ids) {
    Condition.await(
        "all are taken back",
        Duration.ofSeconds(60),
        () -> ids.stream().allMatch(id -> caller.get(id).getStatus().equals("approved")));
  }

  @ParameterizedTest(name = "a module that looks says {0}, and so it is [C6]")
  @EnumSource(names = {"RECOVERY_OUTCOME_COMPLETE", "RECOVERY_OUTCOME_REVERT"})
  void remote(RecoveryOutcome outcome) {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var late = caller.claimedShortly("1");
    Condition.await(
        "the next caller gets needs_recovery",
        () ->
            caller.send(caller.begin("1")).getOutcomeCase()
                == BeginActionResponse.OutcomeCase.NEEDS_RECOVERY);
    assertThat(caller.get("1").getClaim().getFence()).isEqualTo(late.getFence());

    var recovery = caller.recovery("worker");
    var lost = recovery.getLost();
    assertThat(lost.getFence()).isEqualTo(late.getFence());
    assertThat(lost.getStepKey()).isEqualTo("close");
    assertThat(lost.getRequester()).isEqualTo("admin");
    assertThat(lost.getHolder()).isEqualTo("admin");
    assertThat(lost.getAction()).isEqualTo("CloseBillingActionUseCase");
    assertThat(lost.getSuccessfulState()).isEqualTo("closed");
    assertThat(lost.getRevertTo()).isEqualTo("approved");
    assertThat(recovery.getClaim().getFence()).isGreaterThan(late.getFence());
    assertThat(recovery.getEntity()).isEqualTo(caller.get("1"));
    assertThat(recovery.getEntity().getStatus()).isEqualTo("closing");
    assertThat(recovery.getEntity().getClaim().getRecoveringBy()).isEqualTo("worker");
    // the late holder is fenced before the recovery has a result
    assertThat(caller.complete(late).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(caller.send(caller.begin("1")).hasGranted()).isFalse();

    var completed = caller.recover(recovery.getClaim(), outcome).getCompleted();
    assertThat(completed.getAlready()).isFalse();
    var isDone = outcome == RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
    assertThat(completed.getEntity().getStatus()).isEqualTo(isDone ? "closed" : "approved");
    assertThat(completed.getEntity().hasClaim()).isFalse();
    assertThat(caller.runs().list()).as("after-effects").hasSize(isDone ? 1 : 0);
    assertThat(caller.recover(recovery.getClaim(), outcome).getCompleted().getAlready()).isTrue();
    var opposite =
        isDone
            ? RecoveryOutcome.RECOVERY_OUTCOME_REVERT
            : RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
    assertThat(caller.recover(recovery.getClaim(), opposite).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    assertThat(caller.get("1")).isEqualTo(completed.getEntity());
    var last = caller.events("1").getLast();
    assertThat(last.getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_RECOVERED);
    assertThat(last.getRecovered().getOutcome()).isEqualTo(outcome);
  }

  @Test
  @DisplayName(
      "given a module with a waiting poll, when a lease expires, then the poll "
          + "returns at once [C6]")
  void parked() {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var poll =
        caller
            .recoverers()
            .pollRecoveries(caller.polling("worker").setWait(Caller.seconds(30)).build());
    var claim = caller.claimedShortly("1");
    var recoveries = ConcurrentCalls.answer(poll).getRecoveriesList();
    assertThat(recoveries).hasSize(1);
    assertThat(recoveries.getFirst().getLost().getFence()).isEqualTo(claim.getFence());
  }

  @Test
  @DisplayName("of a module that dies while it looks, another worker looks [C6]")
  void moduleDies() {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    var poll = caller.polling("dies").setLease(Caller.millis(100));
    var dead = caller.poll(poll).getFirst();
    var next = caller.recovery("lives");
    assertThat(next.getClaim().getFence()).isGreaterThan(dead.getClaim().getFence());
    assertThat(next.getLost()).isEqualTo(dead.getLost());
    assertThat(
            caller
                .recover(dead.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE)
                .getClaimLost()
                .getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(
            caller.recover(next.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT).hasCompleted())
        .isTrue();
    assertThat(caller.get("1").getStatus()).isEqualTo("approved");
  }

  @Test
  @DisplayName("of 10 workers that poll for 30 recoveries no two get the same [C6]")
  void eachOnce() {
    caller.declare(ClaimCaller.remote());
    var lost = new HashMap<String, Claim>();
    for (var i = 0; i < 30; i++) {
      var _ = caller.approved("" + i);
      lost.put("" + i, caller.claimedShortly("" + i));
    }
    var given = new HashMap<String, Recovery>();
    Condition.await(
        "all are handed out",
        () -> {
          var answers =
              ConcurrentCalls.call(
                  10,
                  i ->
                      caller
                          .recoverers()
                          .pollRecoveries(
                              caller
                                  .polling("worker-" + i)
                                  .setMaxRecoveries(3)
                                  .setWait(Caller.seconds(1))
                                  .build()));
          answers.stream()
              .flatMap(answer -> answer.getRecoveriesList().stream())
              .forEach(
                  recovery ->
                      assertThat(given.put(recovery.getEntity().getId(), recovery)).isNull());
          return given.size() == lost.size();
        });
    given.forEach(
        (id, recovery) -> {
          assertThat(recovery.getLost().getFence())
              .isEqualTo(Objects.requireNonNull(lost.get(id)).getFence());
          assertThat(caller.history(id)).hasSize(3);
        });
  }

  @Test
  @DisplayName("the same poll gets the same recoveries, with the same fences [C6]")
  void polledAgain() {
    caller.declare(ClaimCaller.remote());
    for (var id : List.of("1", "2")) {
      var _ = caller.approved(id);
      var _ = caller.claimedShortly(id);
    }
    var request = caller.polling("worker").setMaxRecoveries(2);
    var first = caller.poll(request);
    assertThat(first).isNotEmpty();
    var again = caller.poll(request);
    assertThat(again)
        .extracting(Recovery::getClaim)
        .containsAll(first.stream().map(Recovery::getClaim).toList());
    for (var recovery : first) {
      assertThat(
              caller
                  .recover(recovery.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_REVERT)
                  .hasCompleted())
          .isTrue();
    }
  }

  @Test
  @DisplayName("an operator takes an entity back from a recovery too [C6]")
  void released() {
    caller.declare(ClaimCaller.remote());
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    var recovery = caller.recovery("worker");
    var released = caller.entities().releaseClaim(caller.release("1", "request").build());
    assertThat(released.getEntity().getStatus()).isEqualTo("approved");
    assertThat(
            caller
                .recover(recovery.getClaim(), RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE)
                .getClaimLost()
                .getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED);
  }

  @Test
  @DisplayName("a hosted janitor hands nothing out, and a remote one is not swept for [C6]")
  void modes() {
    var hosted = Refusal.of(() -> caller.poll(caller.polling("worker")));
    assertThat(hosted.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(hosted.reason()).isEqualTo(ErrorReason.ERROR_REASON_JANITOR_MODE);
    caller.declare(ClaimCaller.remote());
    assertThat(Refusal.of(caller::sweep).reason()).isEqualTo(ErrorReason.ERROR_REASON_JANITOR_MODE);
    var undeclared =
        Refusal.of(() -> caller.poll(caller.polling("worker").setModule("undeclared")));
    assertThat(undeclared.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(undeclared.reason()).isEqualTo(ErrorReason.ERROR_REASON_JANITOR_NOT_FOUND);
  }

  @Test
  @DisplayName("the list of janitors says what they cover, and how late they are [C6, C10]")
  void list() {
    caller.declare(JanitorContract.newBuilder().setModule("shipping").addClaimStates("packing"));
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    caller.sweepUntilFreed(1);

    assertThat(caller.listJanitors())
        .extracting(Janitor::getModule)
        .containsExactly("accounting", "shipping");
    var accounting = accounting();
    assertThat(accounting.getContract().getEvery()).isEqualTo(Caller.seconds(3_600));
    assertThat(accounting.getCoverageList())
        .extracting(covered -> covered.getLifecycle() + "/" + covered.getClaimState())
        .containsExactly("billing/closing", "billing/correcting");
    assertThat(accounting.getCoverageList()).allMatch(Janitor.Coverage::getCovered);
    assertThat(accounting.hasLastSweep()).isTrue();
    assertThat(accounting.getLag()).isEqualTo(Caller.seconds(0));
    assertThat(accounting.getOverdue()).isFalse();
    var shipping = caller.listJanitors().getLast();
    assertThat(shipping.getContract().getStaleAfter()).isEqualTo(Caller.seconds(300));
    assertThat(shipping.getContract().getEvery()).isEqualTo(Caller.seconds(120));
    assertThat(shipping.getCoverageList()).isEmpty();

    // no worker polls
    caller.declare(ClaimCaller.remote().setEvery(Caller.millis(100)));
    Condition.await("it is late", () -> isLate(accounting()));
    caller.declare(ClaimCaller.remote());
    var before = instant(accounting().getLastSweep());
    assertThat(caller.poll(caller.polling("worker").setWait(Caller.millis(0)))).isEmpty();
    Condition.await(
        "it gets the poll",
        () -> instant(accounting().getLastSweep()).isAfter(before) && !isLate(accounting()));
  }

  private Janitor accounting() {
    return caller.listJanitors().getFirst();
  }

  private static boolean isLate(Janitor janitor) {
    return janitor.getLag().getSeconds() > 0 || janitor.getLag().getNanos() > 0;
  }
}
