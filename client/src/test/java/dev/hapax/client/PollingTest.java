package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Polling.Fetch;
import dev.hapax.client.Polling.Item;
import dev.hapax.client.Polling.Poll;
import dev.hapax.client.internal.SystemTiming;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PollingTest {
  private static final int CONCURRENCY = 2;
  private static final long PATIENCE_SECONDS = 30;

  private final ExecutorService executor = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    executor.shutdownNow();
  }

  @Test
  @DisplayName("given more items than there is room for, when they have ended, then it polls again")
  void excess() throws InterruptedException {
    BlockingQueue<Poll> polls = new LinkedBlockingQueue<>();
    CountDownLatch begun = new CountDownLatch(CONCURRENCY + 1);
    CountDownLatch release = new CountDownLatch(1);
    Item item =
        () -> {
          begun.countDown();
          await(release);
        };
    Fetch fetch =
        poll -> {
          polls.add(poll);
          return begun.getCount() == 0 ? List.of() : Collections.nCopies(CONCURRENCY + 1, item);
        };
    Polling polling = new Polling(SystemTiming.INSTANCE, "items", CONCURRENCY, executor, fetch);
    polling.start(() -> true);
    try {
      assertThat(polls.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
      await(begun);
      release.countDown();
      Poll next = polls.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      assertThat(next.room()).isBetween(1, CONCURRENCY);
    } finally {
      assertThat(polling.drain(Duration.ofSeconds(PATIENCE_SECONDS))).isTrue();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
