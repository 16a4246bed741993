package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.ledger.LedgerException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AnswerBudgetTest {
  private static final int KIB = 1 << 10;
  private static final int LIMIT = 1_000 * KIB;
  private static final long MAX_WAITING = 100L * LIMIT;
  private static final Duration NEVER = Duration.ofDays(1);
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<CompletableFuture<Void>> sent = new ArrayList<>();
  private AnswerBudget budget = new AnswerBudget(LIMIT, MAX_WAITING, NEVER, tasks::add);

  private void answer(int bytes) {
    var gone = new CompletableFuture<Void>();
    if (budget.admit(
        bytes,
        gone,
        () -> {
          var _ = budget.count(bytes, gone);
          sent.add(gone);
        })) {
      sent.add(gone);
    }
  }

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  @DisplayName("given more responses than the limit, then all are sent, few bytes at a time")
  void bounded() {
    for (var i = 0; i < 1_000; i++) {
      answer(100 * KIB);
    }
    assertThat(sent).hasSize(10);
    for (var i = 0; i < 1_000; i++) {
      assertThat(budget.bytesSending()).isLessThanOrEqualTo(LIMIT);
      sent.get(i).complete(null);
      run();
    }
    assertThat(sent).hasSize(1_000);
    assertThat(budget.bytesSending()).isZero();
  }

  @Test
  @DisplayName("given room, then responses are sent at once; given a queue, then after it")
  void order() {
    answer(LIMIT);
    answer(20 * KIB);
    answer(LIMIT);
    answer(30 * KIB);
    assertThat(sent).hasSize(1);
    sent.getFirst().complete(null);
    answer(40 * KIB);
    run();
    assertThat(sent).as("20 KiB and a large one").hasSize(3);
    sent.get(2).completeExceptionally(new IllegalStateException("the caller has gone"));
    run();
    assertThat(sent).hasSize(5);
    assertThat(budget.bytesSending()).isEqualTo(90 * KIB);
  }

  @Test
  @DisplayName("given a small response, then it is neither counted nor queued")
  void small() {
    answer(LIMIT);
    answer(LIMIT);
    sent.clear();
    for (var i = 0; i < 1_000; i++) {
      answer(16 * KIB);
    }
    assertThat(sent).hasSize(1_000);
    assertThat(budget.bytesSending()).isEqualTo(LIMIT);
  }

  @Test
  @DisplayName("given a caller that does not read, then other callers get their responses in time")
  void stalled() throws InterruptedException {
    var others = new CountDownLatch(1);
    budget = new AnswerBudget(LIMIT, MAX_WAITING, Duration.ofMillis(1), Runnable::run);
    answer(LIMIT);
    if (budget.admit(LIMIT, new CompletableFuture<>(), others::countDown)) {
      others.countDown();
    }
    assertThat(others.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Tag("A8")
  @DisplayName(
      "given as many responses that wait as allowed, then one more is refused, until some leave")
  void tooManyWait() {
    for (var i = 0; i < 101; i++) {
      answer(LIMIT);
    }
    assertThat(sent).hasSize(1);
    assertThatThrownBy(() -> answer(20 * KIB)).isInstanceOf(LedgerException.Unavailable.class);
    answer(16 * KIB);
    assertThat(sent).as("a small one").hasSize(2);
    sent.getFirst().complete(null);
    run();
    answer(20 * KIB);
    assertThat(sent).hasSize(3);
  }
}
