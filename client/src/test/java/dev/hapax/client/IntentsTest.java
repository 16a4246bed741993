package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.NudgeIntentsRequest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IntentsTest {

  private static final dev.hapax.v1.Intent POSTED =
      dev.hapax.v1.Intent.newBuilder().setTicket("intent_1").build();
  private static final dev.hapax.v1.Intent TAKEN =
      POSTED.toBuilder().setTakenAt(Timestamp.newBuilder().setSeconds(1)).build();

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Intents intents =
      Hapax.builder()
          .channel(hapax.channel)
          .timing(hapax.timing)
          .workspace("eu")
          .connect()
          .intents();

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

    Intent intent = intents.await("intent_1", Duration.ofMinutes(2));

    assertThat(intent.isTaken()).isTrue();
    assertThat(intent.takenAt()).contains(Instant.ofEpochSecond(1));
    assertThat(intent.ticket()).isEqualTo("intent_1");
    assertThat(intent.error()).isEmpty();
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

    Intent intent = intents.await("intent_1", Duration.ofSeconds(30));

    assertThat(intent.isTaken()).isFalse();
    assertThat(intent.takenAt()).isEmpty();
    assertThat(hapax.intents.requests(AwaitIntentRequest.class))
        .extracting(sent -> sent.getWait().getSeconds())
        .containsExactly(20L, 10L);
  }

  @Test
  @DisplayName("given answers that come early, then the next call follows after a pause")
  void early() {
    hapax.intents.put(POSTED);
    PausedTiming timing = new PausedTiming(hapax.timing);
    Hapax client = Hapax.builder().channel(hapax.channel).timing(timing).connect();

    assertThat(client.intents().await("intent_1", Duration.ofMillis(1_200)).isTaken()).isFalse();
    assertThat(timing.pauses).extracting(Duration::toMillis).containsExactly(500L, 500L, 200L);
    assertThat(hapax.intents.requests(AwaitIntentRequest.class)).hasSize(4);
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
    Error notFound =
        Error.newBuilder().setReason(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND).build();
    hapax.intents.put(POSTED);
    hapax.intents.put(TAKEN.toBuilder().setTicket("intent_2").setError(notFound).build());
    hapax.intents.put(POSTED.toBuilder().setTicket("intent_3").build());

    assertThat(intents.posted()).extracting(Intent::ticket).containsExactly("intent_1", "intent_3");
    assertThat(intents.failed())
        .singleElement()
        .satisfies(failed -> assertThat(failed.error()).contains(notFound));
    assertThat(hapax.intents.requests(ListIntentsRequest.class))
        .hasSize(3)
        .allSatisfy(sent -> assertThat(sent.getWorkspace()).isEqualTo("eu"));
  }

  @Test
  @DisplayName("given a nudge whose answer is lost, then it is sent again")
  void nudge() {
    hapax.faults.drop("nudge", 1);
    Hapax client =
        Hapax.builder()
            .channel(hapax.channel)
            .timing(new PausedTiming(hapax.timing))
            .workspace("eu")
            .connect();

    client.intents().nudge();

    assertThat(hapax.intents.requests(NudgeIntentsRequest.class))
        .hasSize(2)
        .allSatisfy(sent -> assertThat(sent.getWorkspace()).isEqualTo("eu"));
  }
}
