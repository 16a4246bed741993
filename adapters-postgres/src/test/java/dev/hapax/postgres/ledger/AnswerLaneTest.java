package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AnswerLaneTest {
  /** What another thread will run. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  private final List<String> answered = new ArrayList<>();
  private boolean isAlone = true;
  private final AnswerLane lane = new AnswerLane(tasks::add, () -> isAlone);

  private void answer(int commands, String batch) {
    lane.answer(commands, () -> answered.add(batch));
  }

  @Test
  @DisplayName("given a few answers, or several committers, then they are given at once")
  void atOnce() {
    answer(4, "a few");
    isAlone = false;
    answer(100, "many");
    assertThat(answered).containsExactly("a few", "many");
  }

  @Test
  @DisplayName("given more answers, then the committer goes on, and later ones keep the order")
  void inOrder() {
    answer(5, "first");
    answer(1, "second");
    isAlone = false;
    answer(100, "third");
    assertThat(answered).isEmpty();
    tasks.remove().run();
    tasks.remove().run();
    tasks.remove().run();
    assertThat(answered).containsExactly("first", "second", "third");
    answer(1, "fourth");
    assertThat(answered).endsWith("fourth");
  }

  @Test
  @DisplayName("given answers that fail, then the order is kept no longer than they wait")
  void failed() {
    lane.answer(
        5,
        () -> {
          throw new IllegalStateException("simulated");
        });
    try {
      tasks.remove().run();
    } catch (IllegalStateException _) {
      // the thread logs it
    }
    answer(1, "next");
    assertThat(answered).containsExactly("next");
  }

  @Test
  @DisplayName("given a thread that was stopped, then answers are given at once")
  void stopped() {
    var stopped =
        new AnswerLane(
            _ -> {
              throw new RejectedExecutionException("simulated");
            },
            () -> true);
    stopped.answer(5, () -> answered.add("last"));
    stopped.answer(1, () -> answered.add("after it"));
    assertThat(answered).containsExactly("last", "after it");
  }

  @Test
  @Timeout(30)
  @DisplayName("given as many batches as wait at most, then the committer waits for an answer")
  void bounded() throws InterruptedException {
    for (var batch = 0; batch < AnswerLane.MAX_BATCHES; batch++) {
      answer(5, "waiting");
    }
    var committer = Thread.ofPlatform().start(() -> answer(5, "one more"));
    while (committer.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    tasks.remove().run();
    committer.join();
    assertThat(tasks).hasSize(AnswerLane.MAX_BATCHES);
  }
}
