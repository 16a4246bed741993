package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private static final Optional<UUID> POLL = Optional.of(new UUID(0, 1));
  private final EntityStory story = EntityStory.at("approved", JanitorMode.REMOTE);

  @Test
  @DisplayName(
      "given a remote janitor, then a stuck entity is neither granted to callers nor swept")
  void needsRecovery() {
    var _ = story.claimed();
    assertThat(story.does(story.recover(POLL))).isEqualTo(new BeginRecoveryOutcome.Left());
    story.afterTheLease();
    var before = story.records();
    assertThat(story.does(story.close())).isEqualTo(new BeginActionOutcome.NeedsRecovery());
    assertThat(story.does(story.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
    assertThat(story.records()).isEqualTo(before);
    var _ = story.recovering();
    assertThat(story.does(story.close())).isEqualTo(new BeginActionOutcome.NeedsRecovery());
  }

  @Test
  @DisplayName("the fence rises before the recovery, so a late completion is lost [C7]")
  void fencedFirst() {
    var late = story.claimed();
    story.afterTheLease();
    var claimed = (BeginRecoveryOutcome.Claimed) story.does(story.recover(POLL));
    assertThat(claimed.lost().fence()).isEqualTo(late.fence());
    assertThat(claimed.claim().fence()).isGreaterThan(late.fence());
    assertThat(claimed.entity().status()).isEqualTo("closing");
    var before = story.records();
    var lost = new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST);
    assertThat(story.does(story.complete(late))).isEqualTo(lost);
    assertThat(story.does(story.fail(late))).isEqualTo(lost);
    assertThat(story.does(story.renew(late))).isEqualTo(lost);
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "given the action took effect, then the entity advances and its after-effect "
          + "starts [C9]")
  void complete() {
    var _ = story.claimed();
    var claim = story.afterTheLease().recovering();
    var recovered =
        (CompleteRecoveryOutcome.Recovered) story.does(story.say(claim, RecoveryVerdict.COMPLETE));
    assertThat(recovered.entity().status()).isEqualTo("closed");
    assertThat(recovered.effect()).isPresent();
    assertThat(story.effects()).hasSize(1);
    var before = story.records();
    assertThat(story.does(story.say(claim, RecoveryVerdict.COMPLETE)))
        .isEqualTo(new CompleteRecoveryOutcome.Recovered(story.entity(), Optional.empty(), true));
    assertThat(story.does(story.say(claim, RecoveryVerdict.REVERT)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.ENDED));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given a poll with a principal, then the entity names it as the one that recovers")
  void principal() {
    var _ = story.claimed();
    story.afterTheLease();
    var fixer = new PrincipalName("api-key:fixer");
    var _ =
        story.does(
            new BeginRecovery(
                EntityStory.ID, Invoices.JANITOR, "w", POLL, EntityStory.LEASE, 1, fixer));
    assertThat(story.entity().recovering().orElseThrow().recovery().principal()).isEqualTo(fixer);
  }

  @Test
  @DisplayName("given the action did not take effect, then the entity reverts without after-effect")
  void revert() {
    var _ = story.claimed();
    var claim = story.afterTheLease().recovering();
    assertThat(story.does(story.say(claim, RecoveryVerdict.REVERT)))
        .isInstanceOf(CompleteRecoveryOutcome.Recovered.class);
    assertThat(story.entity().status()).isEqualTo("approved");
    assertThat(story.effects()).isEmpty();
    assertThat(story.claimed().fence()).isGreaterThan(claim.fence());
  }

  @Test
  @DisplayName("the same poll gets the same recovery again, renewed; another one does not")
  void reentrance() {
    var _ = story.claimed();
    story.afterTheLease();
    var first = (BeginRecoveryOutcome.Claimed) story.does(story.recover(POLL));
    var again = (BeginRecoveryOutcome.Claimed) story.does(story.recover(POLL));
    assertThat(again.claim()).isEqualTo(first.claim());
    assertThat(story.does(story.recover(Optional.of(new UUID(0, 2)))))
        .isEqualTo(new BeginRecoveryOutcome.Left());
    assertThat(story.does(story.recover(Optional.empty())))
        .isEqualTo(new BeginRecoveryOutcome.Left());
  }

  @Test
  @DisplayName(
      "given a module crashes during a recovery, then the recovery is granted again "
          + "with a higher fence [C6]")
  void deadJanitor() {
    var _ = story.claimed();
    var dead = story.afterTheLease().recovering();
    var next = story.afterTheLease().recovering();
    assertThat(next.fence()).isGreaterThan(dead.fence());
    var before = story.records();
    assertThat(story.does(story.say(dead, RecoveryVerdict.COMPLETE)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.does(story.say(next, RecoveryVerdict.REVERT)))
        .isInstanceOf(CompleteRecoveryOutcome.Recovered.class);
  }

  @Test
  @DisplayName("given a janitor becomes hosted, then the server reverts its expired recovery")
  void becomesHosted() {
    var _ = story.claimed();
    var dead = story.afterTheLease().recovering();
    story.declare(JanitorMode.HOSTED);
    assertThat(story.does(story.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
    story.afterTheLease();
    assertThat(story.does(story.sweep())).isInstanceOf(RevertExpiredClaimOutcome.Reverted.class);
    assertThat(story.entity().status()).isEqualTo("approved");
    assertThat(story.does(story.say(dead, RecoveryVerdict.COMPLETE)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LEASE_LOST));
  }

  @Test
  @DisplayName("an operator can release an entity from a recovery, too")
  void release() {
    var _ = story.claimed();
    var claim = story.afterTheLease().recovering();
    assertThat(story.does(story.release("r"))).isInstanceOf(ReleaseClaimOutcome.Released.class);
    assertThat(story.entity().status()).isEqualTo("approved");
    assertThat(story.does(story.say(claim, RecoveryVerdict.COMPLETE)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.RELEASED));
  }

  @Test
  @DisplayName("a janitor never changes live claims or entities of another module [C10]")
  void foreign() {
    for (var mode : JanitorMode.values()) {
      var invoice = EntityStory.at("approved", mode);
      var stock = new JanitorId(Invoices.WORKSPACE, "stock");
      var _ =
          invoice.does(
              Invoices.declare(
                  new JanitorContract(
                      "stock", Set.of("closing", "regenerating"), JanitorTiming.DEFAULT, mode)));
      var _ = invoice.claimed();
      var alive = invoice.records();
      assertThat(invoice.does(invoice.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
      assertThat(invoice.does(invoice.recover(POLL))).isEqualTo(new BeginRecoveryOutcome.Left());
      invoice.afterTheLease();
      assertThat(invoice.does(new RevertExpiredClaim(EntityStory.ID, stock, stock.attribution())))
          .isEqualTo(new RevertExpiredClaimOutcome.Left());
      assertThat(
              invoice.does(
                  new BeginRecovery(
                      EntityStory.ID, stock, "w", POLL, EntityStory.LEASE, 1, PrincipalName.NONE)))
          .isEqualTo(new BeginRecoveryOutcome.Left());
      assertThat(invoice.records()).isEqualTo(alive);
    }
  }

  @Test
  @DisplayName("given two janitors of one module, then one gets a claim")
  void twoSweeps() {
    var hosted = EntityStory.approved();
    var _ = hosted.claimed();
    hosted.afterTheLease();
    assertThat(hosted.does(hosted.sweep())).isInstanceOf(RevertExpiredClaimOutcome.Reverted.class);
    assertThat(hosted.does(hosted.sweep())).isEqualTo(new RevertExpiredClaimOutcome.Left());
    assertThat(hosted.tale()).containsExactly("Created", "ActionBegan", "ClaimReverted");
  }
}
