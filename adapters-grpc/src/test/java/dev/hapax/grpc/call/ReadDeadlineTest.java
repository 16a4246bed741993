package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadDeadlineTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofMillis(1);

  private final UnreadClient<String> client = new UnreadClient<>();
  private final CountDownLatch missed = new CountDownLatch(1);

  @Test
  @DisplayName("given a client that does not read, then the deadline is missed, with its reason")
  void misses() throws Exception {
    var deadline = new ReadDeadline(client, SHORT, missed::countDown);
    var _ = deadline.await();
    assertThat(missed.await(1, TimeUnit.MINUTES)).isTrue();
    var error = Refusal.of(deadline.missed());
    assertThat(error.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
    assertThat(error.reason()).isEqualTo("STREAM_STALLED");
  }

  @Test
  @DisplayName("given a client that reads again, then the future completes, and a new one starts")
  void reads() {
    var deadline = new ReadDeadline(client, LONG, missed::countDown);
    var first = deadline.await();
    assertThat(deadline.await()).isSameAs(first);
    deadline.cancel();
    assertThat(first).isCompleted();
    assertThat(deadline.await()).isNotDone();
    assertThat(missed.getCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("given a client that read meanwhile, then the deadline does not run")
  void race() {
    client.read();
    assertThat(new ReadDeadline(client, LONG, missed::countDown).await()).isCompleted();
  }
}
