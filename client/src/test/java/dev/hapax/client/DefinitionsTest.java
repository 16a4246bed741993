package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.StepDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DefinitionsTest {

  private static final Definition ORDER =
      Definition.of("order", "1")
          .task("charge", "payments")
          .task(
              "ship",
              "warehouse",
              step ->
                  step.lease(Duration.ofMinutes(5))
                      .retry(
                          Retry.attempts(7)
                              .backoff(Duration.ofSeconds(2), 3, Duration.ofHours(1))
                              .never("NO_SUCH_ADDRESS")))
          .taskAtMostOnce("book", "ledger", step -> step.lease(Duration.ofSeconds(20)))
          .timer("wait", Duration.ofDays(1))
          .timer("until", Instant.ofEpochSecond(1_000))
          .signal("approval", "approved", Duration.ofDays(3))
          .signal("anything", signal -> signal)
          .signal("payment", signal -> signal.hook("webhook").type("paid"))
          .code("rest", "orders", step -> step.lease(Duration.ofSeconds(10)));

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Hapax client = Hapax.builder().channel(hapax.channel).connect();
  private final Definitions definitions = client.definitions();

  @AfterEach
  void close() {
    client.close();
    hapax.close();
  }

  @Test
  @DisplayName("given steps of each kind, when they are registered, then all of it is sent")
  void registers() {
    assertThat(definitions.register(ORDER)).isTrue();

    List<StepDefinition> steps = hapax.definitions.registered("order", "1").getStepsList();
    assertThat(steps)
        .extracting(StepDefinition::getName)
        .containsExactly(
            "charge", "ship", "book", "wait", "until", "approval", "anything", "payment", "rest");
    assertThat(steps.get(0).getTask().hasRetry()).as("a default is the server's").isFalse();
    assertThat(steps.get(0).getTask().hasLease()).isFalse();
    assertThat(steps.get(0).getTask().getAtMostOnce()).isFalse();
    assertThat(steps.get(1).getTask().getLease().getSeconds()).isEqualTo(300);
    assertThat(steps.get(1).getTask().getRetry())
        .isEqualTo(
            RetryPolicy.newBuilder()
                .setMaxAttempts(7)
                .setInitial(ProtoTimes.toProto(Duration.ofSeconds(2)))
                .setFactor(3)
                .setMax(ProtoTimes.toProto(Duration.ofHours(1)))
                .addNonRetryable("NO_SUCH_ADDRESS")
                .build());
    assertThat(steps.get(2).getTask().getAtMostOnce()).isTrue();
    assertThat(steps.get(3).getTimer().getDuration().getSeconds()).isEqualTo(86_400);
    assertThat(steps.get(4).getTimer().getUntil().getSeconds()).isEqualTo(1_000);
    assertThat(steps.get(5).getSignal().getType()).isEqualTo("approved");
    assertThat(steps.get(5).getSignal().hasAny()).isFalse();
    assertThat(steps.get(5).getSignal().getTimeout().getSeconds()).isEqualTo(3 * 86_400);
    assertThat(steps.get(6).getSignal().hasAny()).isTrue();
    assertThat(steps.get(6).getSignal().hasTimeout()).isFalse();
    assertThat(steps.get(7).getSignal().getHookName()).isEqualTo("webhook");
    assertThat(steps.get(7).getSignal().getType()).isEqualTo("paid");
    assertThat(steps.get(8).getCode().getLease().getSeconds()).isEqualTo(10);
    assertThat(steps.get(8).getCode().hasRetry()).isFalse();
  }

  @Test
  @DisplayName("given a definition in JSON, when it is registered, then it is sent as it is")
  void json() {
    String json = "{\"name\": \"order\"}";
    Definitions shop = client.workspace("shop").actor("deploy").definitions();

    assertThat(shop.register(json)).isTrue();
    assertThat(shop.register(json)).isFalse();
    assertThat(hapax.definitions.registered("", ""))
        .isEqualTo(
            RegisterDefinitionRequest.newBuilder()
                .setWorkspace("shop")
                .setActor("deploy")
                .setJson(json)
                .build());
  }

  @Test
  @DisplayName(
      "given a version, when it is registered again, then only the same steps are accepted")
  void again() {
    definitions.register(ORDER);

    assertThat(definitions.register(ORDER)).isFalse();
    assertThatThrownBy(() -> definitions.register(ORDER.task("more", "orders")))
        .isInstanceOf(HapaxException.Refused.class);
    assertThat(definitions.get("order", "1")).isEqualTo(ORDER);
    assertThatThrownBy(() -> definitions.get("order", "2"))
        .isInstanceOf(HapaxException.Refused.class);
  }

  @Test
  @DisplayName("given answers that are lost, when a definition is registered, then it is repeated")
  void lostAnswers() {
    hapax.faults.drop("register", 2);

    assertThat(definitions.register(ORDER)).as("the answer to the third").isFalse();
    assertThat(hapax.faults.calls("register")).isEqualTo(3);
  }

  @Test
  @DisplayName("given settings out of bounds, when a definition is built, then the field is named")
  void bounds() {
    assertThatThrownBy(() -> Definition.of("", "1")).hasMessageContaining("name");
    assertThatThrownBy(() -> Definition.of("order", "a".repeat(256)))
        .hasMessageContaining("version");
    assertThatThrownBy(() -> ORDER.task("a", "b", step -> step.lease(Duration.ofMillis(99))))
        .hasMessageContaining("lease");
    assertThatThrownBy(() -> ORDER.signal("a", "")).hasMessageContaining("type");
    assertThatThrownBy(() -> ORDER.signal("a", signal -> signal.hook("")))
        .hasMessageContaining("hook");
    assertThatThrownBy(() -> Retry.attempts(0)).hasMessageContaining("attempts");
    assertThatThrownBy(() -> Retry.attempts(1).backoff(Duration.ZERO, 2, Duration.ofSeconds(1)))
        .hasMessageContaining("initial");
  }
}
