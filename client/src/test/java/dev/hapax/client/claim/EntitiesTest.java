package dev.hapax.client.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.ControlOptions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.Worker;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EntitiesTest {

  private static final EntityKey INVOICE = EntityKey.of("billing", "17");

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Entities entities = hapax.client(options -> options.withActor("ann")).entities();
  private final Lifecycles lifecycles = hapax.client().lifecycles();
  private final Janitors janitors = hapax.client().janitors();

  @AfterEach
  void close() {
    hapax.close();
  }

  @Test
  void createsOnceAndSaysWhether() {
    hapax.faults.drop("createEntity", 1);

    CreateEntityResponse created = entities.create(INVOICE, "approved");
    CreateEntityResponse again = entities.create(INVOICE, "closed");

    assertThat(created.getEntity().getStatus()).isEqualTo("approved");
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getEntity().getStatus()).isEqualTo("approved");
    assertThat(entities.get(INVOICE)).isEqualTo(again.getEntity());
  }

  @Test
  void whatIsNotThereIsRefused() {
    assertThatThrownBy(() -> entities.get(INVOICE))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND));
  }

  @Test
  void listsPageByPageAsFarAsItIsRead() {
    for (int i = 1; i <= 5; i++) {
      entities.create(EntityKey.of("billing", "i-" + i), i == 3 ? "closed" : "approved");
    }

    assertThat(entities.list("billing"))
        .extracting(Entity::getId)
        .containsExactly("i-1", "i-2", "i-3", "i-4", "i-5");
    assertThat(entities.list("billing", "closed")).extracting(Entity::getId).containsExactly("i-3");
    assertThat(entities.list("billing", "closed", "approved")).hasSize(5);
    int before = hapax.entities.requests(ListEntitiesRequest.class).size();
    assertThat(entities.list("billing").findFirst()).isPresent();
    assertThat(hapax.entities.requests(ListEntitiesRequest.class)).hasSize(before + 1);
    assertThat(entities.list("billing", "nowhere")).isEmpty();
  }

  @Test
  void tellsTheHistoryFromAVersionOn() {
    hapax.entities.put("17", "approved");
    Claims claims = hapax.client().claims();
    claims.run(INVOICE, "close", "admin", action -> ActionResult.failure("no"));

    assertThat(entities.history(INVOICE, 0))
        .extracting(EntityEvent::getVersion)
        .containsExactly(1L, 2L, 3L);
    assertThat(entities.history(INVOICE, 2))
        .extracting(EntityEvent::getVersion)
        .containsExactly(3L);
    assertThat(entities.history(INVOICE, 3)).isEmpty();
  }

  @Test
  void releasesWithOneRequestIdAlsoAfterALostAnswer() {
    hapax.entities.put("17", "closing");
    hapax.faults.drop("releaseClaim", 1);

    Entity freed = entities.release(INVOICE, ControlOptions.because("its worker is broken"));

    assertThat(freed.getStatus()).isEqualTo("approved");
    List<ReleaseClaimRequest> sent = hapax.entities.requests(ReleaseClaimRequest.class);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(0).getRequestId()).isNotEmpty().isEqualTo(sent.get(1).getRequestId());
    assertThat(sent.get(0).getReason()).isEqualTo("its worker is broken");
    assertThat(sent.get(0).getOutcome()).isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(sent.get(0).getActor()).isEqualTo("ann");
    entities.release(
        INVOICE, ControlOptions.because("again").withRequestId("r-1").withExpectedVersion(7));
    ReleaseClaimRequest last = hapax.entities.requests(ReleaseClaimRequest.class).get(2);
    assertThat(last.getRequestId()).isEqualTo("r-1");
    assertThat(last.getExpectedVersion()).isEqualTo(7);
    entities.release(INVOICE, ControlOptions.because("it was done"), RecoveryVerdict.COMPLETE);
    assertThat(hapax.entities.requests(ReleaseClaimRequest.class).get(3).getOutcome())
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
  }

  @Test
  void deletesWithOneRequestIdAlsoAfterALostAnswer() {
    hapax.entities.put("17", "approved");
    hapax.faults.drop("deleteEntity", 1);

    assertThat(entities.delete(INVOICE, ControlOptions.because("a duplicate"))).isTrue();

    List<DeleteEntityRequest> sent = hapax.entities.requests(DeleteEntityRequest.class);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(0).getRequestId()).isNotEmpty().isEqualTo(sent.get(1).getRequestId());
    assertThat(sent.get(0).getReason()).isEqualTo("a duplicate");
    assertThat(sent.get(0).getActor()).isEqualTo("ann");
    ControlOptions again =
        ControlOptions.because("again").withRequestId("r-1").withExpectedVersion(7);
    assertThat(entities.delete(INVOICE, again)).isFalse();
    DeleteEntityRequest last = hapax.entities.requests(DeleteEntityRequest.class).get(2);
    assertThat(last.getRequestId()).isEqualTo("r-1");
    assertThat(last.getExpectedVersion()).isEqualTo(7);
  }

  @Test
  void appliesAndValidatesLifecycles() {
    hapax.faults.drop("apply", 1);

    assertThat(lifecycles.apply("billing").getLifecycles(0).getAlready())
        .as("the answer to the second")
        .isTrue();
    ApplyLifecyclesResponse both =
        lifecycles.apply(
            List.of("billing", "orders"), List.of(JanitorTerms.hosted("billing", "closing")), "");
    assertThat(both.getLifecyclesList())
        .extracting(ApplyLifecyclesResponse.Applied::getAlready)
        .containsExactly(true, false);
    assertThat(both.getJanitors(0).getContract().getModule()).isEqualTo("billing");

    assertThat(lifecycles.get("billing").getVersion()).isEqualTo(1);
    assertThat(lifecycles.list())
        .extracting(Lifecycle::getName)
        .containsExactly("billing", "orders");
    assertThat(lifecycles.validate("billing").getViolationsList()).isEmpty();
    assertThat(lifecycles.validate("bad").getViolationsList())
        .extracting(LifecycleViolation::getRule)
        .containsExactly("rule-3-no-op");
    assertThatThrownBy(() -> lifecycles.apply("bad"))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_INVALID));
  }

  @Test
  void declaresJanitors() {
    assertThat(janitors.declare(JanitorTerms.hosted("billing", "closing"))).isTrue();
    assertThat(janitors.declare(JanitorTerms.hosted("billing", "closing"))).isFalse();
    JanitorTerms remote =
        JanitorTerms.remote("payments", "applying_payment")
            .withStaleAfter(Duration.ofSeconds(10))
            .withEvery(Duration.ofSeconds(1));
    assertThat(janitors.declare(remote)).isTrue();

    List<Janitor> declared = janitors.list().toList();

    assertThat(declared).extracting(Janitor::getModule).containsExactly("billing", "payments");
    assertThat(declared.get(0).getContract().getMode()).isEqualTo(JanitorMode.JANITOR_MODE_HOSTED);
    assertThat(declared.get(0).getContract().getStaleAfter().getSeconds()).isEqualTo(300);
    assertThat(declared.get(0).getContract().getEvery().getSeconds()).isEqualTo(120);
    assertThat(declared.get(1).getContract().getMode()).isEqualTo(JanitorMode.JANITOR_MODE_REMOTE);
    assertThat(declared.get(1).getContract().getStaleAfter().getSeconds()).isEqualTo(10);
    assertThat(declared.get(1).getContract().getEvery().getSeconds()).isEqualTo(1);
  }

  @Test
  void refusesTermsOutOfBounds() {
    JanitorTerms terms = JanitorTerms.hosted("billing", "closing");

    assertThatThrownBy(() -> JanitorTerms.hosted("")).hasMessageContaining("module");
    assertThatThrownBy(() -> JanitorTerms.hosted("billing", ""))
        .hasMessageContaining("claim state");
    assertThatThrownBy(() -> terms.withStaleAfter(Duration.ZERO))
        .hasMessageContaining("staleAfter");
    assertThatThrownBy(() -> terms.withEvery(Duration.ofDays(2))).hasMessageContaining("every");
  }

  @Test
  void theTaskOfAnAfterEffectNamesItsEntity() throws Exception {
    CompletableFuture<EntityKey> effect = new CompletableFuture<>();
    String run = hapax.work.start("hapax.after-effect", "SendBillingEmails/after-effect");
    hapax.work.run(run).labels.put("hapax.lifecycle", "billing");
    hapax.work.run(run).labels.put("hapax.entity", "17");

    try (Worker worker =
        hapax
            .worker()
            .handleQueue(
                "SendBillingEmails",
                task -> {
                  effect.complete(EntityKey.of(task));
                  return Completion.empty();
                })
            .start()) {
      assertThat(worker).isNotNull();
      assertThat(effect.get()).isEqualTo(INVOICE);
    }
  }
}
