package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EntitiesTest {

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Hapax client = Hapax.builder().channel(hapax.channel).actor("ann").connect();
  private final Entities entities = client.entities();
  private final Lifecycles lifecycles = client.lifecycles();

  @AfterEach
  void close() {
    client.close();
    hapax.close();
  }

  @Test
  @DisplayName("given an entity, when it is created again, then it stays as it is")
  void creates() {
    hapax.faults.drop("createEntity", 1);

    assertThat(entities.create("billing", "17", "approved").status()).isEqualTo("approved");
    Entity again = entities.create("billing", "17", "closed", "a reason");
    assertThat(again.status()).isEqualTo("approved");
    assertThat(entities.get("billing", "17")).isEqualTo(again);

    assertThatThrownBy(() -> entities.get("billing", "18"))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND));
  }

  @Test
  @DisplayName("given several pages, then each is loaded when it is read")
  void lists() {
    for (int i = 1; i <= 5; i++) {
      entities.create("billing", "i-" + i, i == 3 ? "closed" : "approved");
    }

    assertThat(entities.list("billing"))
        .extracting(Entity::id)
        .containsExactly("i-1", "i-2", "i-3", "i-4", "i-5");
    assertThat(entities.list("billing", "closed")).extracting(Entity::id).containsExactly("i-3");
    assertThat(entities.list("billing", "closed", "approved")).hasSize(5);
    int before = hapax.entities.requests(ListEntitiesRequest.class).size();
    assertThat(entities.list("billing").findFirst()).isPresent();
    assertThat(hapax.entities.requests(ListEntitiesRequest.class)).hasSize(before + 1);
    assertThat(entities.list("billing", "nowhere")).isEmpty();
  }

  @Test
  @DisplayName("given a version, then the history begins after it")
  void history() {
    hapax.entities.put("17", "approved");
    entities.act("billing", "17", "close", "admin", Codec.jsonText(), claim -> "1");

    assertThat(entities.history("billing", "17", 0))
        .extracting(EntityEvent::getVersion)
        .containsExactly(1L, 2L, 3L);
    assertThat(entities.history("billing", "17", 2))
        .extracting(EntityEvent::getVersion)
        .containsExactly(3L);
    assertThat(entities.history("billing", "17", 3)).isEmpty();
  }

  @Test
  @DisplayName("given a lost response to a release, then it is repeated with its request id")
  void releases() {
    hapax.entities.put("17", "closing");
    hapax.faults.drop("releaseClaim", 1);

    assertThat(entities.release("billing", "17", Control.because("broken")).status())
        .isEqualTo("approved");
    entities.release("billing", "17", Control.because("again").requestId("r-1").expectedVersion(7));
    entities.release("billing", "17", Control.because("it was done"), Verdict.COMPLETE);

    List<ReleaseClaimRequest> sent = hapax.entities.requests(ReleaseClaimRequest.class);
    assertThat(sent).hasSize(4);
    assertThat(sent.get(0).getRequestId()).isNotEmpty().isEqualTo(sent.get(1).getRequestId());
    assertThat(sent.get(0).getReason()).isEqualTo("broken");
    assertThat(sent.get(0).getOutcome()).isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(sent.get(0).getActor()).isEqualTo("ann");
    assertThat(sent.get(2).getRequestId()).isEqualTo("r-1");
    assertThat(sent.get(2).getExpectedVersion()).isEqualTo(7);
    assertThat(sent.get(3).getOutcome()).isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
  }

  @Test
  @DisplayName("given a lost response to a deletion, then it is repeated with its request id")
  void deletes() {
    hapax.entities.put("17", "approved");
    hapax.faults.drop("deleteEntity", 1);

    assertThat(entities.delete("billing", "17", Control.because("a duplicate"))).isTrue();
    assertThat(
            entities.delete(
                "billing", "17", Control.because("again").requestId("r-1").expectedVersion(7)))
        .isFalse();

    List<DeleteEntityRequest> sent = hapax.entities.requests(DeleteEntityRequest.class);
    assertThat(sent).hasSize(3);
    assertThat(sent.get(0).getRequestId()).isNotEmpty().isEqualTo(sent.get(1).getRequestId());
    assertThat(sent.get(0).getReason()).isEqualTo("a duplicate");
    assertThat(sent.get(0).getActor()).isEqualTo("ann");
    assertThat(sent.get(2).getRequestId()).isEqualTo("r-1");
    assertThat(sent.get(2).getExpectedVersion()).isEqualTo(7);
    assertThatThrownBy(() -> Control.because("x").expectedVersion(-1))
        .hasMessage("expectedVersion must not be negative (was -1)");
    assertThatThrownBy(() -> Control.because("x".repeat(256))).hasMessageContaining("reason");
  }

  @Test
  @DisplayName("given lifecycles, then they are applied, validated and read")
  void lifecycles() {
    hapax.faults.drop("apply", 1);

    assertThat(lifecycles.apply("billing").getLifecycles(0).getAlready())
        .as("the answer to the repetition")
        .isTrue();
    var both =
        lifecycles.apply(
            List.of("billing", "orders"), List.of(JanitorTerms.hosted("billing", "closing")), "");
    assertThat(both.getLifecyclesList())
        .extracting(applied -> applied.getAlready())
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
  @DisplayName("given contracts of janitors, then they are declared once")
  void declares() {
    JanitorTerms hosted = JanitorTerms.hosted("billing", "closing");
    assertThat(lifecycles.declare(hosted)).isTrue();
    assertThat(lifecycles.declare(hosted)).isFalse();
    assertThat(
            lifecycles.declare(
                JanitorTerms.remote("payments", "paying")
                    .allClaimStates()
                    .staleAfter(Duration.ofSeconds(10))
                    .every(Duration.ofSeconds(1))))
        .isTrue();

    JanitorContract first = hapax.janitors.declared("billing");
    assertThat(first.getMode()).isEqualTo(JanitorMode.JANITOR_MODE_HOSTED);
    assertThat(first.getClaimStatesList()).containsExactly("closing");
    assertThat(first.getStaleAfter().getSeconds()).isEqualTo(300);
    assertThat(first.getEvery().getSeconds()).isEqualTo(120);
    JanitorContract second = hapax.janitors.declared("payments");
    assertThat(second.getMode()).isEqualTo(JanitorMode.JANITOR_MODE_REMOTE);
    assertThat(second.getAllClaimStates()).isTrue();
    assertThat(second.getClaimStatesList()).isEmpty();
    assertThat(second.getStaleAfter().getSeconds()).isEqualTo(10);
    assertThat(second.getEvery().getSeconds()).isEqualTo(1);

    assertThatThrownBy(() -> JanitorTerms.hosted("")).hasMessageContaining("module");
    assertThatThrownBy(() -> JanitorTerms.hosted("billing", ""))
        .hasMessageContaining("claim state");
    assertThatThrownBy(() -> hosted.staleAfter(Duration.ZERO)).hasMessageContaining("staleAfter");
    assertThatThrownBy(() -> hosted.every(Duration.ofDays(2))).hasMessageContaining("every");
  }

  @Test
  @DisplayName("given a server, then entities act, fail and are listed as it says")
  void onAServer() {
    try (InMemoryHapax server = InMemoryHapax.start();
        Hapax own = Hapax.builder().channel(server.channel()).connect()) {
      own.lifecycles()
          .apply(
              List.of(
                  """
                  {"lifecycle": "invoice", "module": "shop",
                   "status_types": ["draft", "sending", "sent"],
                   "steps": [{"step_key": "send", "status": "draft",
                     "claim_state": {"billing": ["sending", "draft"]},
                     "successful_state": {"billing": "sent"}}]}
                  """),
              List.of(JanitorTerms.hosted("shop", "sending")),
              "");
      own.entities().create("invoice", "I-17", "draft");
      Action send = Action.of("invoice", "I-17", "send", "billing");

      assertThatThrownBy(
              () ->
                  own.entities()
                      .tryAct(
                          send,
                          Codec.jsonText(),
                          claim -> {
                            throw new InvalidAction("no lines");
                          }))
          .isInstanceOf(InvalidAction.class);
      assertThat(
              own.entities()
                  .tryAct(
                      send,
                      Codec.jsonText(),
                      claim -> {
                        assertThat(claim.fence()).isPositive();
                        assertThat(own.entities().get("invoice", "I-17").status())
                            .isEqualTo("sending");
                        return "{\"mail\": 7}";
                      }))
          .isInstanceOfSatisfying(
              ActOutcome.Done.class, done -> assertThat(done.entity().status()).isEqualTo("sent"));

      assertThat(own.entities().list("invoice", "sent")).extracting(Entity::id).contains("I-17");
      assertThat(own.entities().history("invoice", "I-17", 0))
          .extracting(EntityEvent::getType)
          .endsWith(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
      assertThat(own.entities().delete("invoice", "I-17", Control.because("a test"))).isTrue();
    }
  }
}
