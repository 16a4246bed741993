package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.GuardedObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What calls and operations report to the observer. */
@Timeout(60)
class OnceObserverTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<String> events = new ArrayList<>();
  private final Observer observer =
      new Observer() {
        @Override
        public void called(String method, CallKind kind, Duration duration) {
          events.add("called " + method + " " + kind + " " + duration.toMillis());
        }

        @Override
        public void lost(HolderKind kind) {
          events.add("lost " + kind);
        }
      };

  @AfterEach
  void close() {
    hapax.close();
  }

  private Hapax client(Observer with) {
    return Hapax.builder()
        .channel(hapax.channel)
        .timing(new PausedTiming(hapax.timing))
        .observer(with)
        .connect();
  }

  @Test
  @DisplayName("given an operation that is lost at its end, then its loss is reported once")
  void lostAtTheEnd() {
    try (Hapax client = client(observer)) {
      assertThatThrownBy(
              () ->
                  client.once(
                      "orders/Place",
                      "key-1",
                      String.class,
                      claim -> {
                        hapax.store.takeOver("key-1", null);
                        return "1";
                      }))
          .isInstanceOf(HapaxException.ClaimLost.class);
    }
    assertThat(events)
        .containsExactly(
            "called BeginOperation OK 0", "called CompleteOperation OK 0", "lost OPERATION");
  }

  @Test
  @DisplayName("given calls that fail, then their kind and the time of all tries is reported")
  void failures() {
    hapax.faults.down(true);
    try (Hapax client = client(observer)) {
      assertThatThrownBy(() -> client.once("orders/Place", "key-1", String.class, claim -> "1"))
          .isInstanceOf(HapaxException.Unavailable.class);
    }
    assertThat(events).singleElement().asString().startsWith("called BeginOperation UNAVAILABLE ");
    assertThat(Long.parseLong(events.get(0).replaceAll(".* ", ""))).isBetween(1_000L, 30_000L);
  }

  @Test
  @DisplayName("given an observer that throws, then calls succeed, and one line is logged")
  void broken() {
    Observer broken =
        new Observer() {
          @Override
          public void called(String method, CallKind kind, Duration duration) {
            throw new NoSuchMethodError("of another version");
          }
        };
    try (var log = LogRecorder.of(GuardedObserver.class);
        Hapax client = client(broken)) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.once("orders/Place", "key-" + i, String.class, claim -> "1"))
            .isEqualTo("1");
      }
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("WARN the observer ")
          .endsWith("failed; its further failures are not logged");
    }
  }
}
