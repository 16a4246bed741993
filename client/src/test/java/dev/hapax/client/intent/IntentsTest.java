package dev.hapax.client.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Intent;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.NudgeIntentsRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IntentsTest {

  private static final Intent POSTED = Intent.newBuilder().setTicket("intent_1").build();
  private static final Intent TAKEN =
      POSTED.toBuilder().setTakenAt(Timestamp.newBuilder().setSeconds(1)).build();

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Intents intents = hapax.client(options -> options.withWorkspace("eu")).intents();

  @AfterEach
  void close() {
    hapax.close();
  }

  @Test
  @DisplayName("given an intent that is taken later, then it is awaited by several calls")
  void awaited() {
    hapax.intents.put(POSTED);
    hapax.intents.onAwait(
        () -> {
          hapax.timing.advance(Duration.ofSeconds(20));
          if (hapax.intents.requests(AwaitIntentRequest.class).size() == 3) {
            hapax.intents.put(TAKEN);
          }
        });

    assertThat(intents.await("intent_1", Duration.ofMinutes(2))).isEqualTo(TAKEN);
    assertThat(hapax.intents.requests(AwaitIntentRequest.class))
        .hasSize(3)
        .allSatisfy(
            sent -> {
              assertThat(sent.getWorkspace()).isEqualTo("eu");
              assertThat(sent.getWait().getSeconds()).isEqualTo(20);
            });
  }

  @Test
  @DisplayName("given no server that takes the intent, then it is returned as it is after the wait")
  void notTaken() {
    hapax.intents.put(POSTED);
    hapax.intents.onAwait(() -> hapax.timing.advance(Duration.ofSeconds(20)));

    assertThat(intents.await("intent_1", Duration.ofSeconds(30))).isEqualTo(POSTED);
    assertThat(hapax.intents.requests(AwaitIntentRequest.class))
        .extracting(sent -> sent.getWait().getSeconds())
        .containsExactly(20L, 10L);
  }

  @Test
  @DisplayName("given a ticket that was rolled back, then it is rejected")
  void rolledBack() {
    assertThatThrownBy(() -> intents.await("intent_1", Duration.ofSeconds(30)))
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessageContaining("no such intent");
  }

  @Test
  @DisplayName("given more intents than a page has, then all of a state are listed")
  void lists() {
    Intent failed =
        TAKEN.toBuilder()
            .setTicket("intent_2")
            .setError(Error.newBuilder().setReason(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND))
            .build();
    Intent other = POSTED.toBuilder().setTicket("intent_3").build();
    hapax.intents.put(POSTED);
    hapax.intents.put(failed);
    hapax.intents.put(other);

    assertThat(intents.posted()).containsExactly(POSTED, other);
    assertThat(intents.failed()).containsExactly(failed);
    assertThat(hapax.intents.requests(ListIntentsRequest.class))
        .hasSize(3)
        .allSatisfy(sent -> assertThat(sent.getWorkspace()).isEqualTo("eu"));
  }

  @Test
  @DisplayName("given a nudge whose answer is lost, then it is sent again")
  void nudge() {
    try (FakeHapax<SystemTiming> live = FakeHapax.live()) {
      live.faults.drop("nudge", 1);
      live.client(options -> options.withWorkspace("eu")).intents().nudge();

      assertThat(live.intents.requests(NudgeIntentsRequest.class))
          .hasSize(2)
          .allSatisfy(sent -> assertThat(sent.getWorkspace()).isEqualTo("eu"));
    }
  }
}
