package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.internal.GuardedObserver;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.operation.Outcome;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.Release;
import dev.hapax.client.worker.TaskHandler;
import dev.hapax.client.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObserverTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<String> events = new ArrayList<>();
  private int busy;
  private int free;

  private final Observer observer =
      new Observer() {
        @Override
        public void called(String method, CallKind kind, Duration duration) {
          events.add("called " + method + " " + kind + " " + duration.toMillis());
        }

        @Override
        public void worked(String definition, String step, TaskKind kind, Duration duration) {
          events.add("worked " + definition + " " + step + " " + kind);
        }

        @Override
        public void lost(HolderKind kind) {
          events.add("lost " + kind);
        }

        @Override
        public void slotsChanged(int busyChange, int freeChange) {
          busy += busyChange;
          free += freeChange;
        }
      };

  @AfterEach
  void close() {
    hapax.close();
  }

  private HapaxClient client(Observer with) {
    return hapax.client(options -> options.withObserver(with));
  }

  private Worker worker(TaskHandler handler) {
    return hapax
        .worker(options -> options.withObserver(observer))
        .executor(Runnable::run)
        .concurrency(3)
        .handle("orders", "order", "charge", handler)
        .start();
  }

  private List<String> events(String kind) {
    return events.stream().filter(event -> event.startsWith(kind)).toList();
  }

  /** The outcome of an operation whose key another holder has taken while its work runs. */
  private CompletableFuture<Outcome<String>> takenOver(CompletableFuture<String> result) {
    var outcome =
        client(observer)
            .operations()
            .executeAsync(
                OperationRequest.of("orders/Place", "key-1"), PayloadCodec.json(), held -> result);
    hapax.store.takeOver("key-1", null);
    return outcome;
  }

  @Test
  @DisplayName("given an operation that is lost and one call, then each is reported by its kind")
  void operation() throws Exception {
    var result = new CompletableFuture<String>();
    var outcome = takenOver(result);
    hapax.timing.advance(Duration.ofSeconds(20));
    result.complete("1");
    outcome.join();

    assertThat(events)
        .containsExactly(
            "called BeginOperation OK 0", "lost OPERATION", "called CompleteOperation OK 0");
  }

  @Test
  @DisplayName("given an operation that is lost at its end, then the loss is reported once")
  void lostAtTheEnd() throws Exception {
    var result = new CompletableFuture<String>();
    var outcome = takenOver(result);
    result.complete("1");
    outcome.join();

    assertThat(events("lost")).containsExactly("lost OPERATION");
  }

  @Test
  @DisplayName("given tasks that end in each way, then each is reported, and the slots are free")
  void tasks() {
    var worker =
        worker(
            task -> {
              assertThat(busy).isEqualTo(1);
              assertThat(free).isEqualTo(2);
              return switch (events("worked").size()) {
                case 0 -> Completion.of(PayloadCodec.json(), "1");
                case 1 -> throw new FinalFailure("NO", "no");
                case 2 -> throw new RetryableFailure("LATER", "later");
                case 3 -> {
                  hapax.work.takeAway("run_3");
                  yield Completion.of(PayloadCodec.json(), "1");
                }
                default -> Release.after(Duration.ofHours(1));
              };
            });
    for (int i = 0; i < 3; i++) {
      hapax.work.start("order", "orders/charge");
    }
    assertThat(events("worked"))
        .startsWith(
            "worked order charge COMPLETED",
            "worked order charge FINAL",
            "worked order charge RETRYABLE",
            "worked order charge LOST");
    assertThat(events("lost")).containsExactly("lost TASK");
    hapax.work.start("order", "orders/charge");
    assertThat(events("worked")).endsWith("worked order charge RELEASED");
    assertThat(busy).isZero();
    assertThat(free).isEqualTo(3);

    worker.close();
    assertThat(free).isZero();
    assertThat(events).as("no id of a run, a task or a claim").noneMatch(e -> e.contains("_1"));
  }

  @Test
  @DisplayName("given calls that fail, then their kind and the time of all tries is reported")
  void failures() {
    hapax.faults.down(true);
    var call =
        client(observer)
            .operations()
            .executeAsync(
                OperationRequest.of("orders/Place", "key-1"),
                PayloadCodec.json(),
                held -> CompletableFuture.completedFuture("1"));
    hapax.timing.advance(Duration.ofSeconds(30));

    assertThat(call).isDone();
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
    try (var log = LogRecorder.of(GuardedObserver.class)) {
      var client = client(broken);
      for (int i = 0; i < 3; i++) {
        var request = OperationRequest.of("orders/Place", "key-" + i);
        var done =
            client
                .operations()
                .executeAsync(
                    request, PayloadCodec.json(), held -> CompletableFuture.completedFuture("1"));
        assertThat(done.join().orThrow()).isEqualTo("1");
      }
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("WARN the observer ")
          .endsWith("failed; its further failures are not logged");
    }
  }
}
