package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.WatchRunRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunWatchTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String OTHERS = FakeAccess.SECOND_KEY;
  private static final String OWN = "";

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Runs runs =
      Hapax.builder().channel(hapax.channel).timing(hapax.timing).connect().runs();
  private final List<Long> seen = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    hapax.close();
  }

  private String start() {
    return runs.start("order").run().id();
  }

  private RunWatch watch(String runId, long after) {
    return runs.watch(runId, after, event -> seen.add(event.version()));
  }

  private void streams(int count) {
    Conditions.until(() -> hapax.runs.requests(WatchRunRequest.class).size() == count);
  }

  private void afterPause(Duration pause) {
    Conditions.until(() -> hapax.timing.pending() == 1);
    hapax.timing.advance(pause);
  }

  private void delivered(Long... versions) {
    Conditions.until(() -> seen.equals(List.of(versions)));
  }

  @Test
  @DisplayName("given a stream that breaks, then a new one goes on after the last event")
  void reconnects() {
    RunWatch watch = watch(start(), 0);
    streams(1);
    hapax.runs.happens(1, 2);
    delivered(1L, 2L);
    hapax.runs.watcher().onError(Status.UNAVAILABLE.asRuntimeException());

    afterPause(Duration.ofSeconds(1));
    streams(2);
    assertThat(hapax.runs.requests(WatchRunRequest.class).get(1).getAfterVersion()).isEqualTo(2);
    hapax.runs.happens(2, 3);
    hapax.runs.watcher().onCompleted();

    assertThat(watch.await(SOON)).isTrue();
    assertThat(seen).containsExactly(1L, 2L, 3L);
  }

  @Test
  @DisplayName("given a stream that is open for its longest time, then a new one opens at once")
  void longest() {
    RunWatch watch = watch(start(), 7);
    streams(1);
    hapax.runs.watcher().onError(Status.DEADLINE_EXCEEDED.asRuntimeException());
    streams(2);
    hapax.runs.happens(7, 8);
    hapax.runs.watcher().onCompleted();

    assertThat(watch.await(SOON)).isTrue();
    assertThat(seen).containsExactly(8L);
    assertThat(hapax.runs.requests(WatchRunRequest.class).get(1).getAfterVersion()).isEqualTo(7);
  }

  @Test
  @DisplayName("given a slow listener, when the watch is closed, then it gets no further event")
  void closed() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    RunWatch watch =
        runs.watch(
            start(),
            0,
            event -> {
              seen.add(event.version());
              entered.countDown();
              try {
                release.await();
              } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
              }
            });
    streams(1);
    hapax.runs.happens(1, 2);
    entered.await();
    assertThat(watch.await(Duration.ZERO)).as("the listener is still at it").isFalse();
    watch.close();
    release.countDown();

    assertThat(watch.await(SOON)).isTrue();
    assertThat(seen).containsExactly(1L);
  }

  @Test
  @DisplayName("given a watch that waits for a stream, when it is closed, then it ends at once")
  void closedInPause() {
    RunWatch watch = watch(start(), 0);
    streams(1);
    hapax.runs.watcher().onError(Status.UNAVAILABLE.asRuntimeException());
    Conditions.until(() -> hapax.timing.pending() == 1);

    watch.close();

    assertThat(watch.await(SOON)).isTrue();
    assertThat(hapax.runs.requests(WatchRunRequest.class)).hasSize(1);
  }

  @Test
  @DisplayName("given no such run, or a listener that throws, then the watch ends with that")
  void fails() {
    assertThatThrownBy(() -> watch("run_no", 0).await(SOON))
        .isInstanceOf(HapaxException.Refused.class);

    RunWatch broken =
        runs.watch(
            start(),
            0,
            event -> {
              throw new IllegalStateException("enough");
            });
    streams(2);
    hapax.runs.happens(1);
    assertThatThrownBy(() -> broken.await(SOON)).hasMessage("enough");
    RunWatch failed =
        runs.watch(
            start(),
            0,
            event -> {
              throw new AssertionError("not as expected");
            });
    streams(3);
    hapax.runs.happens(1);
    assertThatThrownBy(() -> failed.await(SOON)).isInstanceOf(AssertionError.class);
  }

  @Test
  @DisplayName("given an open watch, when its key is replaced, then it goes on; if not, it fails")
  void replacedKey() {
    RunWatch watch = watch(start(), 0);
    streams(1);
    hapax.timing.advance(Duration.ofMinutes(1));
    hapax.runs.happens(1);
    delivered(1L);

    hapax.access.accept(OTHERS);
    hapax.access.accept(OWN);
    afterPause(Duration.ofSeconds(3));
    streams(2);
    hapax.runs.happens(2);
    delivered(1L, 2L);

    hapax.timing.advance(Duration.ofMinutes(1));
    hapax.access.accept(OTHERS);
    afterPause(Duration.ofSeconds(3));
    assertThatThrownBy(() -> watch.await(SOON)).isInstanceOf(HapaxException.Unauthenticated.class);
    assertThat(hapax.access.rejected()).isEqualTo(3);
  }
}
