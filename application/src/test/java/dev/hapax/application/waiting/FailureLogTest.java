package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.testkit.LogLines;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private final AtomicLong nanos = new AtomicLong();
  private final FailureLog log = new FailureLog(FailureLogTest.class, "scan for cats", nanos::get);

  private void fail() {
    log.failed(new CompletionException(new LedgerException.Unavailable("the database is away")));
  }

  @Test
  @DisplayName("the first failure is logged at once, more of them once in 30 s with their number")
  void rate() {
    try (var lines = new LogLines(FailureLogTest.class)) {
      fail();
      assertThat(lines.messages())
          .containsExactly("scan for cats failed, will retry: the database is away");
      for (var i = 0; i < 29; i++) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        fail();
      }
      assertThat(lines.messages()).hasSize(1);
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      fail();
      assertThat(lines.messages())
          .hasSize(2)
          .last()
          .isEqualTo("scan for cats failed (30 times), will retry: the database is away");
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
      fail();
      assertThat(lines.messages())
          .last()
          .isEqualTo("scan for cats failed, will retry: the database is away");
    }
  }

  @Test
  @DisplayName("an outage is logged without a stack trace, an unexpected exception with one")
  void trace() {
    try (var lines = new LogLines(FailureLogTest.class)) {
      fail();
      nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
      log.failed(new IllegalStateException());
      assertThat(lines.messages())
          .last()
          .isEqualTo("scan for cats failed, will retry: java.lang.IllegalStateException");
      assertThat(lines.thrown().getFirst()).isEmpty();
      assertThat(lines.thrown().getLast()).get().isInstanceOf(IllegalStateException.class);
    }
  }
}
