package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.EffectTerms;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AfterEffectTest {
  private final EntityStory story = EntityStory.approved();

  private Run closed() {
    var completed = (CompleteActionOutcome.Completed) story.does(story.complete(story.claimed()));
    return completed.effect().orElseThrow();
  }

  @Test
  @DisplayName("the effect is written with the transition, as a run that workers can take [C9]")
  void written() {
    var run = closed();
    assertThat(story.effects()).containsExactly(run);
    assertThat(run.status()).isEqualTo(RunStatus.PENDING);
    assertThat(run.queue()).contains("SendBillingEmails");
    assertThat(run.work().orElseThrow().retry()).isEqualTo(RetryPolicy.DEFAULT);
    assertThat(run.origin().input())
        .isEqualTo(
            new Payload.Json(
                "{\"lifecycle\":\"billing\",\"entity_id\":\"invoice/1\",\"step_key\":\"close\","
                    + "\"requester\":\"admin\",\"status\":\"closed\",\"version\":3}"));
    assertThat(story.get(AfterEffect.key(EntityStory.ID, 3)).orElseThrow().run())
        .isEqualTo(run.id());
    var batch = new Batch(new HashMap<>(story.records()), story.now());
    assertThat(
            batch.decide(
                new ClaimTask(
                    run.id(), "SendBillingEmails", "w", Optional.empty(), 1, PrincipalName.NONE)))
        .isInstanceOf(ClaimTaskOutcome.Claimed.class);
  }

  @Test
  @DisplayName("given a retried completion, then no second after-effect starts [C9]")
  void once() {
    var claim = story.claimed();
    var _ = story.does(story.complete(claim));
    var _ = story.does(story.complete(claim));
    assertThat(story.effects()).hasSize(1);
  }

  @Test
  @DisplayName("given no success, then no after-effect starts [C9]")
  void never() {
    var _ = story.does(story.fail(story.claimed()));
    var late = story.claimed();
    story.afterTheLease();
    var _ = story.does(story.sweep());
    var _ = story.does(story.complete(late));
    var _ = story.does(story.release("r"));
    assertThat(story.effects()).isEmpty();
  }

  @Test
  @DisplayName("each transition has its own effect with an id of its own [C9]")
  void ownId() {
    var first = closed();
    var again = story.granted(story.begin("regenerate", "admin", "r")).claim();
    var _ = story.does(story.complete(again));
    var approve = story.granted(story.begin("approve", "system", "p")).claim();
    var _ = story.does(story.complete(approve));
    assertThat(story.effects()).as("no effect of regenerate, nor for system").hasSize(1);
    var second = closed();
    assertThat(second.id().step(0)).isNotEqualTo(first.id().step(0));
    assertThat(second.version()).isEqualTo(1);
  }

  @Test
  @DisplayName("a step without a claim has its effect too, for whom it is meant [C9]")
  void optimistic() {
    var draft = EntityStory.at("draft", JanitorMode.HOSTED);
    var claim = draft.granted(draft.begin("approve", "admin", "a")).claim();
    var completed = (CompleteActionOutcome.Completed) draft.does(draft.complete(claim));
    assertThat(completed.effect().orElseThrow().queue()).contains("TellCustomer");
    assertThat(draft.effects()).hasSize(1);
  }

  @Test
  @DisplayName("an effect gets the output of its action, which the history keeps too")
  void output() {
    var json = new Payload.Json("{\"receipt\": [7]}");
    var claim = story.claimed();
    var completed =
        (CompleteActionOutcome.Completed) story.does(story.complete(claim, Optional.of(json)));
    assertThat(input(completed)).endsWith(",\"version\":3,\"output\":{\"receipt\": [7]}}");
    assertThat(story.history().getLast().change())
        .isInstanceOfSatisfying(
            EntityChange.ActionCompleted.class,
            change -> assertThat(change.output()).contains(json));

    var draft = EntityStory.at("draft", JanitorMode.HOSTED);
    var approval = draft.granted(draft.begin("approve", "admin", "a")).claim();
    var binary = new Payload.Binary(new byte[] {0, -1, 1});
    var approved =
        (CompleteActionOutcome.Completed) draft.does(draft.complete(approval, Optional.of(binary)));
    assertThat(input(approved)).endsWith(",\"version\":2,\"output_base64\":\"AP8B\"}");
  }

  /** With the terms of the after-effect of closing. */
  private static String saying(String terms) {
    return Invoices.TEXT.replaceFirst(
        "\"steps\"", "\"after_effects\": { \"SendBillingEmails\": " + terms + " }, \"steps\"");
  }

  private ApplyLifecyclesOutcome apply(String text) {
    return story.does(story.apply(text, Optional.of(story.applied())));
  }

  /** Repeats the decision with each missing definition, as a server does. */
  private Run effectOf(CompleteAction command) {
    return switch (story.does(command)) {
      case CompleteActionOutcome.Completed(_, var effect, _) -> effect.orElseThrow();
      case CompleteActionOutcome other -> throw new AssertionError("" + other);
    };
  }

  @Test
  @DisplayName("an effect may have a lease and a retry of its own, in the queue of its name")
  void ownTerms() {
    var before = story.claimed();
    assertThat(apply(saying("{ \"lease\": \"10m\", \"retry\": { \"max_attempts\": 7 } }")))
        .isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    assertThat(effectOf(story.complete(before)).work().orElseThrow().retry())
        .as("what has begun ends as it began")
        .isEqualTo(RetryPolicy.DEFAULT);

    var _ =
        story.does(story.complete(story.granted(story.begin("regenerate", "admin", "r")).claim()));
    var _ =
        story.does(story.complete(story.granted(story.begin("approve", "system", "p")).claim()));
    var work = effectOf(story.complete(story.claimed())).work().orElseThrow();
    assertThat(work.queue()).isEqualTo("SendBillingEmails");
    assertThat(work.lease()).isEqualTo(Duration.ofMinutes(10));
    assertThat(work.retry().maxAttempts()).isEqualTo(7);
  }

  @Test
  @DisplayName("a code with a comma is not two codes: a correction makes another definition")
  void correctedCodes() {
    assertThat(definitionOf(Set.of("BLOCKED, BOUNCED")))
        .isNotEqualTo(definitionOf(Set.of("BLOCKED", "BOUNCED")));
  }

  private static String definitionOf(Set<String> nonRetryable) {
    var retry = new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofMinutes(5), nonRetryable);
    return new EffectTerms.Queued(LeaseLimits.DEFAULT_OF_TASK, retry).of("Mail").version();
  }

  @Test
  @DisplayName("an effect may be a run of any definition, which has to be registered before")
  void ownDefinition() {
    var text = saying("{ \"definition\": \"mails\", \"definition_version\": \"2\" }");
    var id = new DefinitionId(Invoices.WORKSPACE, "mails", "2");
    var before = story.records();
    assertThat(apply(text)).isEqualTo(new ApplyLifecyclesOutcome.Undefined(id));
    assertThat(story.records()).isEqualTo(before);

    var wait = new StepDefinition.Timer(new StepDefinition.Timer.After(Duration.ofHours(1)));
    var _ =
        story.does(
            new RegisterDefinition(
                id, List.of(new StepDefinition("wait", wait)), Attribution.SERVER));
    assertThat(apply(text)).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
    var claim = story.claimed();
    var run = effectOf(story.complete(claim));
    assertThat(run.definition().id()).isEqualTo(id);
    assertThat(run.status()).isEqualTo(RunStatus.WAITING);
    assertThat(story.effects()).hasSize(1);
  }

  @Test
  @DisplayName("a recovery that finds the work done starts the effect of any definition, too")
  void recovered() {
    var _ = apply(saying("{ \"lease\": \"10m\" }"));
    story.declare(JanitorMode.REMOTE);
    var _ = story.claimed();
    var recovery = story.afterTheLease().recovering();
    var done = story.say(recovery, RecoveryVerdict.COMPLETE);
    var recovered = (CompleteRecoveryOutcome.Recovered) story.does(done);
    assertThat(recovered.effect().orElseThrow().work().orElseThrow().lease())
        .isEqualTo(Duration.ofMinutes(10));
  }

  private static String input(CompleteActionOutcome.Completed completed) {
    return ((Payload.Json) completed.effect().orElseThrow().origin().input()).text();
  }

  @Test
  @DisplayName("a key of a caller is never that of an effect")
  void ownKeys() {
    assertThat(AfterEffect.key(EntityStory.ID, 3)).isNotEqualTo(AfterEffect.key(EntityStory.ID, 4));
    var one = new EntityId(Invoices.WORKSPACE, "a", "b/1");
    var other = new EntityId(Invoices.WORKSPACE, "a/b", "1");
    assertThat(AfterEffect.key(one, 1)).isNotEqualTo(AfterEffect.key(other, 1));
  }
}
