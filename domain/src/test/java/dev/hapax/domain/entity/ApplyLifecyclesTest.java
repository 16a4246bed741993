package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.domain.lifecycle.Retirement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplyLifecyclesTest {
  private static final Pattern APPROVE =
      Pattern.compile("\"status\": \"draft\",[^}]*\"TellCustomer\" } }");
  private static final String WITHOUT_VOID =
      Invoices.TEXT
          .replace(", \"void\"", "")
          .replace(
              "\"successful_state\": { \"admin\": \"void\" }", "\"successful_state\": \"draft\"");

  private static final String WITH_MORE =
      Invoices.TEXT.replace("\"void\"]", "\"void\", \"archived\"]");

  private static final String OF_STOCK =
      Invoices.TEXT.replace("\"module\": \"billing\"", "\"module\": \"stock\"");

  private final EntityStory story = EntityStory.approved();

  private ApplyLifecycles change(String text) {
    return story.apply(text, Optional.of(story.applied()));
  }

  private RetireStatuses retire(ApplyLifecycles change, Set<String> statuses) {
    return new RetireStatuses(
        Invoices.WORKSPACE, change.nonce(), Map.of(Invoices.ID.name(), statuses));
  }

  private ApplyLifecycles apply(Lifecycle lifecycle, long nonce, Attribution by) {
    return new ApplyLifecycles(
        LifecycleSet.of(Invoices.WORKSPACE, lifecycle),
        Map.of(Invoices.ID.name(), story.applied()),
        nonce,
        by);
  }

  private ApplyLifecyclesOutcome applied(boolean already) {
    return new ApplyLifecyclesOutcome.Applied(
        List.of(new ApplyLifecyclesOutcome.Stored<>(story.applied(), already)), List.of());
  }

  private static ApplyLifecyclesOutcome retireFirst(Set<String> statuses) {
    return new ApplyLifecyclesOutcome.RetireFirst(
        new TreeMap<>(Map.of(Invoices.ID.name(), statuses)));
  }

  @Test
  @DisplayName("the first is version 1, the same again is the same, another one is the next")
  void versions() {
    assertThat(story.applied().version()).isEqualTo(1);
    var before = story.records();
    assertThat(story.does(story.apply(Invoices.TEXT, Optional.empty()))).isEqualTo(applied(true));
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.does(change(WITH_MORE))).isEqualTo(applied(false));
    assertThat(story.applied().version()).isEqualTo(2);
    assertThat(story.get(new LifecycleVersionId(Invoices.ID, 1)))
        .contains(Invoices.read(Invoices.TEXT));
    assertThat(story.get(new LifecycleVersionId(Invoices.ID, 2)))
        .contains(Invoices.read(WITH_MORE));
    assertThat(story.isDefined("SendBillingEmails")).isTrue();
    assertThat(story.isDefined("TellCustomer")).isTrue();
  }

  @Test
  @DisplayName("a version keeps its author and reason; applying it again changes neither")
  void attribution() {
    var ann = new Attribution("ann", "we archive now", PrincipalName.NONE);
    var lifecycle = Invoices.read(WITH_MORE);
    var _ = story.does(apply(lifecycle, 1, ann));
    assertThat(story.applied().by()).isEqualTo(ann);
    var bob = new Attribution("bob", "again", PrincipalName.NONE);
    var again = story.does(apply(lifecycle, 2, bob));
    assertThat(again).isEqualTo(applied(true));
    assertThat(story.applied().by()).isEqualTo(ann);
    var change = change(Invoices.TEXT);
    var _ = story.does(retire(change, Set.of("archived")));
    assertThat(story.applied().by()).as("while it is being changed").isEqualTo(ann);
  }

  @Test
  @DisplayName("a change that expected no version, or an older one, is the next version")
  void expectedAnother() {
    var first = story.applied();
    var applied = story.does(story.apply(WITH_MORE, Optional.empty()));
    assertThat(applied).isEqualTo(applied(false));
    assertThat(story.applied().version()).isEqualTo(first.version() + 1);
    assertThat(story.get(new LifecycleVersionId(Invoices.ID, first.version()))).isPresent();
    assertThat(story.does(story.apply(WITHOUT_VOID, Optional.of(first))))
        .isEqualTo(story.does(story.apply(WITHOUT_VOID, Optional.of(story.applied()))));
  }

  @Test
  @DisplayName("uncovered claim states are rejected by name [C5]")
  void uncovered() {
    var more =
        Invoices.TEXT
            .replace("\"void\"]", "\"void\", \"voiding\"]")
            .replace(
                "\"successful_state\": { \"admin\": \"void\" }",
                "\"claim_state\": [\"voiding\", \"approved\"], \"successful_state\": \"void\"");
    var before = story.records();
    assertThat(story.does(change(more)))
        .isEqualTo(
            new ApplyLifecyclesOutcome.Uncovered(
                List.of(new UncoveredState("billing", "voiding", "billing"))));
    assertThat(story.records()).isEqualTo(before);
    var _ =
        story.does(
            Invoices.declare(
                Invoices.contract(JanitorMode.HOSTED, "closing", "regenerating", "voiding")));
    assertThat(story.does(change(more))).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(story.does(Invoices.declare(Invoices.contract(JanitorMode.HOSTED))))
        .isInstanceOf(ApplyLifecyclesOutcome.Uncovered.class);
  }

  @Test
  @DisplayName("statuses are removed only after a search while no entity can enter them")
  void retire() {
    var change = change(WITHOUT_VOID);
    assertThat(story.does(change)).isEqualTo(retireFirst(Set.of("void")));
    assertThat(story.does(retire(change, Set.of("void")))).isEmpty();
    var before = story.records();
    assertThat(story.does(story.begin("cancel", "admin", "c")))
        .isEqualTo(new BeginActionOutcome.Changing());
    var another = new EntityId(Invoices.WORKSPACE, "billing", "2");
    assertThat(story.does(new CreateEntity(another, "void", "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.Changing());
    // another change has to wait
    assertThat(story.does(retire(change(WITHOUT_VOID), Set.of("void"))))
        .contains(Invoices.ID.name());
    assertThat(story.records()).isEqualTo(before);
    // other steps are not affected
    var claim = story.claimed();
    assertThat(story.does(story.complete(claim)))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
    assertThat(story.does(change)).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(story.applied().retiring()).isEmpty();
    assertThat(story.does(new CreateEntity(another, "void", "", EntityStory.BY)))
        .isEqualTo(new CreateEntityOutcome.UnknownStatus());
  }

  @Test
  @DisplayName("what was granted without a claim waits for the change, and then is lost to it")
  void optimistic() {
    var claim = story.granted(story.begin("cancel", "admin", "c")).claim();
    var change = change(WITHOUT_VOID);
    var _ = story.does(retire(change, Set.of("void")));
    var before = story.records();
    assertThat(story.does(story.complete(claim))).isEqualTo(new CompleteActionOutcome.Changing());
    assertThat(story.records()).isEqualTo(before);
    var _ = story.does(change);
    var without =
        change(Invoices.TEXT.replace("\"step_key\": \"cancel\"", "\"step_key\": \"drop\""));
    var _ = story.does(without);
    assertThat(story.does(story.complete(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED));

    var _ = story.does(change(Invoices.TEXT));
    assertThat(story.does(story.complete(claim)))
        .as("sent again after the lifecycle was changed back")
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED));
    var next = story.granted(story.begin("cancel", "admin", "c")).claim();
    assertThat(story.does(story.complete(next)))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"successful_state\": \"void\", \"action\": \"Approve\","
            + " \"success_after_effect\": { \"admin\": \"TellCustomer\" }",
        "\"successful_state\": \"approved\", \"action\": \"Check\","
            + " \"success_after_effect\": { \"admin\": \"TellCustomer\" }",
        "\"successful_state\": \"approved\", \"action\": \"Approve\","
            + " \"success_after_effect\": { \"admin\": \"TellAuditor\" }",
        "\"successful_state\": \"approved\", \"action\": \"Approve\"",
      })
  @DisplayName(
      "given a grant without a claim state, when its step is changed, then it is lost and the"
          + " entity stays [black-box-F1]")
  void changedTerms(String terms) {
    var draft = EntityStory.at("draft", JanitorMode.HOSTED);
    var claim = draft.granted(draft.begin("approve", "admin", "a")).claim();
    var changed =
        APPROVE.matcher(Invoices.TEXT).replaceFirst("\"status\": \"draft\", " + terms + " }");
    assertThat(changed).isNotEqualTo(Invoices.TEXT);
    assertThat(draft.does(draft.apply(changed, Optional.of(draft.applied()))))
        .isInstanceOf(ApplyLifecyclesOutcome.Applied.class);

    assertThat(draft.does(draft.complete(claim)))
        .isEqualTo(new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED));
    assertThat(draft.entity().status()).isEqualTo("draft");
  }

  @Test
  @DisplayName(
      "a claim without a claim state that is lost to a change takes those of its version along")
  void optimisticRivals() {
    var cancel = story.granted(story.begin("cancel", "admin", "c")).claim();
    var close = story.granted(story.begin("close", "system", "d")).claim();
    var without =
        change(Invoices.TEXT.replace("\"step_key\": \"cancel\"", "\"step_key\": \"drop\""));
    var _ = story.does(without);
    var lost = new ActionClaimLost(ActionClaimLost.Reason.LIFECYCLE_CHANGED);
    assertThat(story.does(story.complete(cancel))).isEqualTo(lost);
    assertThat(story.does(story.complete(close))).isEqualTo(lost);

    var again = story.granted(story.begin("close", "system", "d")).claim();
    assertThat(story.does(story.complete(again)))
        .isInstanceOf(CompleteActionOutcome.Completed.class);
  }

  @Test
  @DisplayName("given an abandoned change, or a crashed client, then it blocks no other change")
  void givenUp() {
    var change = change(WITHOUT_VOID);
    var _ = story.does(retire(change, Set.of("void")));
    assertThat(story.does(retire(change, Set.of()))).isEmpty();
    assertThat(story.does(story.begin("cancel", "admin", "c")))
        .isInstanceOf(BeginActionOutcome.Granted.class);
    var _ = story.does(retire(change, Set.of("void")));
    story.later(Retirement.TIME);
    assertThat(story.does(story.begin("cancel", "admin", "c")))
        .isInstanceOf(BeginActionOutcome.Granted.class);
    assertThat(story.does(change)).isInstanceOf(ApplyLifecyclesOutcome.RetireFirst.class);
  }

  @Test
  @DisplayName("given the lifecycle changes, then a claimed action ends by its original rules")
  void inFlight() {
    var claim = story.claimed();
    var changed =
        Invoices.TEXT.replace(
            "\"successful_state\": { \"admin\": \"closed\", \"system\": \"closed\" }",
            "\"successful_state\": { \"admin\": \"draft\", \"system\": \"closed\" }");
    assertThat(story.does(change(changed))).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    var completed = (CompleteActionOutcome.Completed) story.does(story.complete(claim));
    assertThat(completed.entity().status()).isEqualTo("closed");
  }

  @Test
  @DisplayName("another module takes over only when nothing is claimed, and has to have a janitor")
  void otherModule() {
    assertThat(story.does(change(OF_STOCK))).isInstanceOf(ApplyLifecyclesOutcome.Uncovered.class);
    var contract =
        new JanitorContract(
            "stock", Set.of("closing", "regenerating"), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    var _ = story.does(Invoices.declare(contract));
    var change = change(OF_STOCK);
    var statuses = Set.of("closing", "regenerating");
    assertThat(story.does(change)).isEqualTo(retireFirst(statuses));
    var _ = story.does(retire(change, statuses));
    assertThat(story.does(change)).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(story.does(story.close()))
        .isInstanceOfSatisfying(
            BeginActionOutcome.Granted.class,
            granted -> assertThat(granted.claim().module()).isEqualTo("stock"));
    // the old one is free to go
    var none = new JanitorContract("billing", Set.of(), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    assertThat(story.does(Invoices.declare(none)))
        .isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(story.get(new JanitorId(Invoices.WORKSPACE, "stock")).orElseThrow().uncovered())
        .isEmpty();
  }

  @Test
  @DisplayName("a status that becomes or ceases to be a claim state must be empty first")
  void displaced() {
    var before = Invoices.read(Invoices.TEXT);
    assertThat(Invoices.read(WITH_MORE).displaced(before)).isEmpty();
    assertThat(Invoices.read(WITHOUT_VOID).displaced(before)).containsExactly("void");
    var unclaimed = Invoices.TEXT.replace("\"claim_state\": [\"regenerating\", \"closed\"],", "");
    assertThat(Invoices.read(unclaimed).displaced(before)).containsExactly("regenerating");
    assertThat(before.displaced(Invoices.read(unclaimed))).containsExactly("regenerating");
    assertThat(Invoices.read(OF_STOCK).displaced(before))
        .containsExactly("closing", "regenerating");
  }
}
