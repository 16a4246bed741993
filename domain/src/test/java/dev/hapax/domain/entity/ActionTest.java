package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActionTest {
  private final EntityStory story = EntityStory.approved();

  @Test
  @DisplayName(
      "given 50 callers, then one is granted and 49 get its holder and remaining " + "lease [C1]")
  void oneOfMany() {
    var granted = new ArrayList<BeginActionOutcome.Granted>();
    for (var i = 0; i < 50; i++) {
      switch (story.does(story.close())) {
        case BeginActionOutcome.Granted grant -> granted.add(grant);
        case BeginActionOutcome.ClaimFailed(var holder, var remaining) -> {
          assertThat(holder.holder()).isEqualTo("ann");
          assertThat(holder.since()).isEqualTo(EntityStory.BEGINNING);
          assertThat(remaining).isEqualTo(EntityStory.LEASE);
        }
        case BeginActionOutcome other -> throw new AssertionError("" + other);
      }
    }
    assertThat(granted).hasSize(1);
    var grant = granted.getFirst();
    assertThat(grant.action()).contains("CloseBilling");
    assertThat(grant.leaseRemaining()).isEqualTo(EntityStory.LEASE);
    assertThat(grant.entity().status()).isEqualTo("closing");
    assertThat(story.entity().version()).isEqualTo(2);
    assertThat(story.tale()).containsExactly("Created", "ActionBegan");
  }

  @Test
  @DisplayName("success leads to successful_state, and a repeated completion says so [C2]")
  void success() {
    var claim = story.claimed();
    var completed = (CompleteActionOutcome.Completed) story.does(story.complete(claim));
    assertThat(completed.entity().status()).isEqualTo("closed");
    assertThat(completed.already()).isFalse();
    var before = story.records();
    assertThat(story.does(story.complete(claim)))
        .isEqualTo(new CompleteActionOutcome.Completed(story.entity(), Optional.empty(), true));
    assertThat(story.does(story.fail(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(story.does(story.renew(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(story.records()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(ActionFailureKind.class)
  @DisplayName("failure, invalid and exception each lead back, and are in the history [C2]")
  void failure(ActionFailureKind kind) {
    var claim = story.claimed();
    var failed = (FailActionOutcome.Failed) story.does(story.fail(claim, kind));
    assertThat(failed.entity().status()).isEqualTo("approved");
    assertThat(story.history().getLast().change())
        .isEqualTo(new EntityChange.ActionFailed(kind, "no such customer"));
    assertThat(((FailActionOutcome.Failed) story.does(story.fail(claim, kind))).already()).isTrue();
    assertThat(story.does(story.complete(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(story.effects()).isEmpty();
    // another caller can
    assertThat(story.claimed().fence()).isGreaterThan(claim.fence());
  }

  @Test
  @DisplayName(
      "admin claims; system, which has no entry, does not and is not kept from it " + "[C3]")
  void requesters() {
    var system = story.granted(story.begin("close", "system", "s"));
    assertThat(system.claim().exclusive()).isFalse();
    assertThat(system.entity().status()).isEqualTo("approved");
    assertThat(story.entity().version()).isEqualTo(1);
    var admin = story.claimed();
    assertThat(admin.exclusive()).isTrue();
    assertThat(story.does(story.complete(system.claim())))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.VERSION));
    assertThat(story.does(story.begin("close", "guest", "g")))
        .isEqualTo(new BeginActionOutcome.NotAllowed());
    assertThat(story.does(story.begin("open", "admin", "g")))
        .isEqualTo(new BeginActionOutcome.NotAllowed());
    assertThat(story.does(story.begin("cancel", "system", "g")))
        .isEqualTo(new BeginActionOutcome.NotAllowed());
  }

  @Test
  @DisplayName("wrong_status differs from claim_failed: waiting helps only with the latter")
  void wrongStatus() {
    assertThat(story.does(story.begin("regenerate", "admin", "r")))
        .isEqualTo(new BeginActionOutcome.WrongStatus("approved"));
    var claim = story.claimed();
    assertThat(story.does(story.begin("regenerate", "admin", "r")))
        .isInstanceOf(BeginActionOutcome.ClaimFailed.class);
    var _ = story.does(story.complete(claim));
    assertThat(story.does(story.close())).isEqualTo(new BeginActionOutcome.WrongStatus("closed"));
  }

  @Test
  @DisplayName("the same attempt gets its claim again with the same fence, its lease topped up")
  void reentrance() {
    var first = story.granted(story.begin("close", "admin", "mine"));
    story.later(Duration.ofSeconds(10));
    var again = story.granted(story.begin("close", "admin", "mine"));
    assertThat(again.claim()).isEqualTo(first.claim());
    assertThat(again.reentrant()).isTrue();
    assertThat(again.leaseRemaining()).isEqualTo(EntityStory.LEASE);
    // whatever version it expects: it has been granted
    assertThat(story.granted(story.begin("close", "admin", "mine", OptionalLong.of(1))).claim())
        .isEqualTo(first.claim());
    // also after the lease expired, while no caller has taken it
    story.later(Duration.ofHours(1));
    assertThat(story.granted(story.begin("close", "admin", "mine")).claim())
        .isEqualTo(first.claim());
    // but not for another step
    assertThat(story.does(story.begin("cancel", "admin", "mine")))
        .isInstanceOf(BeginActionOutcome.ClaimFailed.class);
  }

  @Test
  @DisplayName(
      "a grant says its lease: the one that was asked for, else that of the contract " + "[C6]")
  void leaseOfTheGrant() {
    var asked = story.granted(story.begin("close", "admin", "mine"));
    assertThat(asked.lease()).isEqualTo(EntityStory.LEASE);
    assertThat(story.granted(story.beginWithoutLease("close", "admin", "mine")).lease())
        .isEqualTo(Invoices.STALE_AFTER);
  }

  @Test
  @DisplayName("a version that is not expected is refused, and the entity unchanged [C8]")
  void expectedVersion() {
    var before = story.records();
    assertThat(story.does(story.begin("close", "admin", "a", OptionalLong.of(7))))
        .isEqualTo(new BeginActionOutcome.Moved(story.entity()));
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.does(story.begin("close", "admin", "a", OptionalLong.of(1))))
        .isInstanceOf(BeginActionOutcome.Granted.class);
  }

  @Test
  @DisplayName("a live foreign claim is named before versions are compared; a free entity is not")
  void claimBeforeVersion() {
    var claim = story.claimed();
    var stranger = story.begin("close", "admin", "b", OptionalLong.of(1));
    assertThat(story.does(stranger)).isInstanceOf(BeginActionOutcome.ClaimFailed.class);
    var _ = story.does(story.fail(claim));
    assertThat(story.does(stranger)).isEqualTo(new BeginActionOutcome.Moved(story.entity()));
    var _ = story.claimed();
    story.afterTheLease();
    var before = story.records();
    assertThat(story.does(stranger))
        .as("the lease is over, and the version is another one")
        .isEqualTo(new BeginActionOutcome.Moved(story.entity()));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("of steps with one key, the one that begins where the entity is, is taken")
  void repeatedKey() {
    var text =
        Invoices.TEXT.replace(
            "{ \"step_id\": 40,",
            """
            { "step_id": 41, "step_key": "cancel", "status": "draft",
              "successful_state": { "system": "closed" } },
            { "step_id": 40,""");
    var draft = EntityStory.at("draft", JanitorMode.HOSTED);
    var _ = draft.does(draft.apply(text, Optional.of(draft.applied())));
    assertThat(draft.does(draft.begin("cancel", "admin", "a")))
        .as("admin may cancel elsewhere")
        .isEqualTo(new BeginActionOutcome.WrongStatus("draft"));
    assertThat(draft.does(draft.begin("cancel", "guest", "a")))
        .isEqualTo(new BeginActionOutcome.NotAllowed());
    var claim = draft.granted(draft.begin("cancel", "system", "a")).claim();
    var completed = (CompleteActionOutcome.Completed) draft.does(draft.complete(claim));
    assertThat(completed.entity().status()).isEqualTo("closed");

    var _ = story.does(story.apply(text, Optional.of(story.applied())));
    var lost = story.granted(story.begin("cancel", "admin", "b")).claim();
    var without =
        text.replace(
            "\"step_key\": \"cancel\", \"status\": \"approved\"",
            "\"step_key\": \"drop\", \"status\": \"approved\"");
    var _ = story.does(story.apply(without, Optional.of(story.applied())));
    assertThat(story.does(story.complete(lost)))
        .as("the step that is left begins in another status")
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED));
  }

  @Test
  @DisplayName(
      "without a claim the version decides: one of two completes, the other changes "
          + "nothing [C8]")
  void optimistic() {
    var one = story.granted(story.begin("close", "system", "one")).claim();
    var two = story.granted(story.begin("close", "system", "two")).claim();
    assertThat(story.granted(story.begin("close", "system", "one")).claim()).isEqualTo(one);
    assertThat(story.tale()).containsExactly("Created");
    assertThat(story.does(story.renew(two)))
        .isEqualTo(new RenewActionOutcome.Renewed(EntityStory.LEASE));
    assertThat(story.does(story.complete(one))).isInstanceOf(CompleteActionOutcome.Completed.class);
    var before = story.records();
    assertThat(story.does(story.complete(two)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.VERSION));
    assertThat(story.does(story.renew(two)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.VERSION));
    assertThat(((CompleteActionOutcome.Completed) story.does(story.complete(one))).already())
        .isTrue();
    assertThat(story.does(story.fail(one)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.entity().fence()).isGreaterThanOrEqualTo(two.fence());
  }

  @Test
  @DisplayName("two steps of one attempt are two actions: only one of them is done [C8]")
  void twoStepsOfOneAttempt() {
    var close = story.granted(story.begin("close", "system", "one")).claim();
    var cancel = story.granted(story.begin("cancel", "admin", "one")).claim();
    assertThat(story.does(story.complete(close)))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
    assertThat(story.does(story.complete(cancel)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.VERSION));
  }

  @Test
  @DisplayName(
      "given a failed action without a claim, then nothing changes, however often it "
          + "is reported [C2]")
  void optimisticFailure() {
    var claim = story.granted(story.begin("close", "system", "one")).claim();
    var before = story.records();
    assertThat(story.does(story.fail(claim)))
        .isEqualTo(new FailActionOutcome.Failed(story.entity(), false));
    assertThat(story.does(story.fail(claim)))
        .isEqualTo(new FailActionOutcome.Failed(story.entity(), false));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "a slow action with renewals keeps its claim, and one with an expired lease "
          + "may still complete [C6]")
  void slow() {
    var claim = story.claimed();
    for (var i = 0; i < 20; i++) {
      story.later(Duration.ofSeconds(20));
      assertThat(story.does(story.renew(claim)))
          .isEqualTo(new RenewActionOutcome.Renewed(EntityStory.LEASE));
      assertThat(story.does(story.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
    }
    story.later(Duration.ofHours(1));
    assertThat(story.does(story.complete(claim)))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
  }

  @Test
  @DisplayName("the default lease is that of the contract")
  void defaultLease() {
    var begin = story.close();
    var without =
        new BeginAction(
            begin.entity(),
            begin.step(),
            begin.requester(),
            begin.attempt(),
            Optional.empty(),
            begin.expectedVersion(),
            begin.nonce(),
            begin.module(),
            begin.actor());
    assertThat(story.granted(without).leaseRemaining()).isEqualTo(Invoices.STALE_AFTER);
  }

  @Test
  @DisplayName("given the next caller took the entity, then a late holder changes nothing [C7]")
  void lateAfterBegin() {
    var late = story.claimed();
    story.afterTheLease();
    var next = story.granted(story.close());
    assertThat(next.claim().fence()).isGreaterThan(late.fence());
    assertThat(story.tale())
        .containsExactly("Created", "ActionBegan", "ClaimReverted", "ActionBegan");
    late(late);
    assertThat(story.does(story.complete(next.claim())))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
    late(late);
  }

  @Test
  @DisplayName("given the janitor took the entity, then a late holder changes nothing [C6, C7]")
  void lateAfterSweep() {
    var late = story.claimed();
    story.afterTheLease();
    var swept = (RevertExpiredClaimOutcome.Reverted) story.does(story.sweep());
    assertThat(swept.entity().status()).isEqualTo("approved");
    assertThat(swept.entity().fence()).isGreaterThan(late.fence());
    late(late);
  }

  private void late(ActionClaim late) {
    var before = story.records();
    var lost = new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST);
    assertThat(story.does(story.complete(late))).isEqualTo(lost);
    assertThat(story.does(story.fail(late))).isEqualTo(lost);
    assertThat(story.does(story.renew(late))).isEqualTo(lost);
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.effects().stream().map(run -> run.id()).distinct().count())
        .isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName("a Begin of a step in another status reverts a stale claim, too")
  void staleAndWrongStatus() {
    var _ = story.claimed();
    story.afterTheLease();
    assertThat(story.does(story.begin("regenerate", "admin", "r")))
        .isEqualTo(new BeginActionOutcome.WrongStatus("approved"));
    assertThat(story.entity().held()).isEmpty();
  }

  @Test
  @DisplayName("an operator releases an entity with a reason; a repeated request changes nothing")
  void release() {
    var claim = story.claimed();
    var released = (ReleaseClaimOutcome.Released) story.does(story.release("r1"));
    assertThat(released.already()).isFalse();
    assertThat(released.entity().status()).isEqualTo("approved");
    assertThat(released.entity().fence()).isGreaterThan(claim.fence());
    assertThat(story.history().getLast().actor()).isEqualTo(EntityStory.BY);
    assertThat(story.does(story.complete(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.RELEASED));
    var next = story.claimed();
    assertThat(((ReleaseClaimOutcome.Released) story.does(story.release("r1"))).already()).isTrue();
    assertThat(story.entity().claim()).contains(next);
    assertThat(story.does(story.release("r2"))).isInstanceOf(ReleaseClaimOutcome.Released.class);
    assertThat(story.does(story.release("r3")))
        .isEqualTo(new ReleaseClaimOutcome.NotClaimed(story.entity()));
  }

  @Test
  @DisplayName("given an operator releases an action as done, then its after-effect starts")
  void releaseAsDone() {
    var claim = story.claimed();

    var released =
        (ReleaseClaimOutcome.Released) story.does(story.release("r1", RecoveryVerdict.COMPLETE));
    assertThat(released.entity().status()).isEqualTo("closed");
    assertThat(released.entity().fence()).isGreaterThan(claim.fence());
    assertThat(story.effects()).containsExactly(released.effect().orElseThrow());
    assertThat(story.get(AfterEffect.key(EntityStory.ID, 3)).orElseThrow().run())
        .isEqualTo(released.effect().orElseThrow().id());
    assertThat(story.history().getLast().actor()).isEqualTo(EntityStory.BY);
    var lost = new ActionClaimLost(ActionClaimLost.Reason.RELEASED);
    assertThat(story.does(story.complete(claim))).isEqualTo(lost);
    assertThat(story.does(story.fail(claim))).isEqualTo(lost);

    assertThat(story.does(story.release("r1", RecoveryVerdict.REVERT)))
        .as("the outcome sent first stands")
        .isEqualTo(new ReleaseClaimOutcome.Released(story.entity(), Optional.empty(), true));
    assertThat(story.effects()).hasSize(1);
  }

  @Test
  @DisplayName("an operator may end as done what a recovery has, too")
  void releaseOfRecovery() {
    story.declare(JanitorMode.REMOTE);
    var _ = story.claimed();
    var recovery = story.afterTheLease().recovering();
    var _ = story.does(story.release("r1", RecoveryVerdict.COMPLETE));
    assertThat(story.entity().status()).isEqualTo("closed");
    assertThat(story.effects()).hasSize(1);
    assertThat(story.does(story.say(recovery, RecoveryVerdict.COMPLETE)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.RELEASED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"closing", "regenerating"})
  @DisplayName("an entity cannot be created in a claim state")
  void createdInClaimState(String status) {
    var untold = EntityStory.untold(JanitorMode.HOSTED);
    assertThat(untold.does(new CreateEntity(EntityStory.ID, status, "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.ClaimState());
    assertThat(untold.does(new CreateEntity(EntityStory.ID, "lost", "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.UnknownStatus());
  }

  @Test
  @DisplayName("why an entity was created or taken back, and by whom, is in its history")
  void reasons() {
    var untold = EntityStory.untold(JanitorMode.HOSTED);
    var _ = untold.does(new CreateEntity(EntityStory.ID, "approved", "imported", EntityStory.BY));
    assertThat(untold.history().getLast().change())
        .isEqualTo(new EntityChange.Created("approved", "imported"));
    var _ = untold.claimed();
    untold.afterTheLease();
    var operator = new Attribution("bob", "cannot wait", PrincipalName.NONE);
    var _ = untold.does(new RevertExpiredClaim(EntityStory.ID, Invoices.JANITOR, operator));
    var last = untold.history().getLast();
    assertThat(last.actor().name()).isEqualTo("bob");
    assertThat(last.change())
        .isEqualTo(new EntityChange.ClaimReverted(untold.entity().fence(), "cannot wait"));
  }

  @Test
  @DisplayName("a janitor of a module with a long name has a name that can be kept")
  void longModule() {
    var module = "\uD83D\uDE00".repeat(255);
    assertThat(new JanitorId(Invoices.WORKSPACE, module).attribution().actor())
        .isEqualTo("janitor " + "\uD83D\uDE00".repeat(247));
  }

  @Test
  @DisplayName("created again, an entity is as it is, wherever it has moved to")
  void createdAgain() {
    var _ = story.does(story.complete(story.claimed()));
    assertThat(story.does(new CreateEntity(EntityStory.ID, "approved", "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.There(story.entity(), false));
  }

  @Test
  @DisplayName("a missing lifecycle and a missing entity have different outcomes")
  void nothing() {
    var untold = EntityStory.untold(JanitorMode.HOSTED);
    assertThat(untold.does(untold.close())).isEqualTo(new BeginActionOutcome.NoEntity());
    assertThat(untold.does(untold.release("r"))).isEqualTo(new ReleaseClaimOutcome.NotFound());
    assertThat(untold.does(untold.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
    var foreign = story.claimed();
    assertThat(untold.does(untold.complete(foreign)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.UNKNOWN_CLAIM));
    var elsewhere = new EntityId(Invoices.WORKSPACE, "nowhere", "1");
    assertThat(untold.does(new CreateEntity(elsewhere, "approved", "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.NoLifecycle());
  }
}
