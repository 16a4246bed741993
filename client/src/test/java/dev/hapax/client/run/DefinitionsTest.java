package dev.hapax.client.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.StepDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DefinitionsTest {

  private static final RunDefinition ORDER =
      RunDefinition.of("order", "1")
          .task("charge", "payments")
          .task(
              "ship",
              "warehouse",
              StepPolicy.DEFAULT
                  .withLease(Duration.ofMinutes(5))
                  .withMaxAttempts(7)
                  .withBackoff(Duration.ofSeconds(2), 3, Duration.ofHours(1))
                  .withNonRetryable("NO_SUCH_ADDRESS"))
          .timer("wait", Duration.ofDays(1))
          .timer("until", Instant.ofEpochSecond(1_000))
          .signal("approval", "approved", Duration.ofDays(3))
          .signal("anything", AwaitedSignal.any(), null)
          .code("rest", "orders", StepPolicy.DEFAULT.withLease(Duration.ofSeconds(10)));

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Definitions definitions = hapax.client().definitions();

  @AfterEach
  void close() {
    hapax.close();
  }

  @Test
  void registersWhatWasBuilt() {
    assertThat(definitions.register(ORDER)).isTrue();

    List<StepDefinition> steps = hapax.definitions.registered("order", "1").getStepsList();
    assertThat(steps)
        .extracting(StepDefinition::getName)
        .containsExactly("charge", "ship", "wait", "until", "approval", "anything", "rest");
    assertThat(steps.get(0).getTask().hasRetry()).as("a default is the server's").isFalse();
    assertThat(steps.get(0).getTask().hasLease()).isFalse();
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
    assertThat(steps.get(2).getTimer().getDuration().getSeconds()).isEqualTo(86_400);
    assertThat(steps.get(3).getTimer().getUntil().getSeconds()).isEqualTo(1_000);
    assertThat(steps.get(4).getSignal().getTimeout().getSeconds()).isEqualTo(3 * 86_400);
    assertThat(steps.get(5).getSignal().hasTimeout()).isFalse();
    assertThat(steps.get(6).getCode().getLease().getSeconds()).isEqualTo(10);
  }

  @Test
  void sendsJsonAsItIs() {
    String json = "{\"name\": \"order\"}";
    Definitions shop =
        hapax.client().with(own -> own.withWorkspace("shop").withActor("deploy")).definitions();

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
  void theSameAgainIsFineAndAnythingElseIsNot() {
    definitions.register(ORDER);

    assertThat(definitions.register(ORDER)).isFalse();
    assertThatThrownBy(() -> definitions.register(ORDER.task("more", "orders")))
        .isInstanceOf(HapaxException.Refused.class);
    assertThat(definitions.get("order", "1").getStepsCount()).isEqualTo(7);
    assertThatThrownBy(() -> definitions.get("order", "2"))
        .isInstanceOf(HapaxException.Refused.class);
  }

  @Test
  void aLostAnswerIsNoDifference() {
    hapax.faults.drop("register", 2);

    assertThat(definitions.register(ORDER)).as("the answer to the third").isFalse();
    assertThat(hapax.faults.calls("register")).isEqualTo(3);
  }

  @Test
  void refusesPoliciesOutOfBounds() {
    StepPolicy policy = StepPolicy.DEFAULT;

    assertThatThrownBy(() -> policy.withLease(Duration.ofMillis(99))).hasMessageContaining("lease");
    assertThatThrownBy(() -> policy.withMaxAttempts(0)).hasMessageContaining("maxAttempts");
    assertThatThrownBy(() -> policy.withMaxAttempts(21)).hasMessageContaining("maxAttempts");
    assertThatThrownBy(() -> policy.withBackoff(Duration.ZERO, 2, Duration.ofSeconds(1)))
        .hasMessageContaining("initial");
    assertThatThrownBy(
            () -> policy.withBackoff(Duration.ofSeconds(1), Double.NaN, Duration.ofSeconds(1)))
        .hasMessageContaining("factor");
    assertThatThrownBy(() -> policy.withBackoff(Duration.ofSeconds(1), 2, Duration.ofHours(25)))
        .hasMessageContaining("max");
  }
}
