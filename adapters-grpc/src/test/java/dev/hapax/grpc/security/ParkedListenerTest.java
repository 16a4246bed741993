package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WhoAmIResponse;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A5")
class ParkedListenerTest {
  private final List<String> delivered = new ArrayList<>();
  private final List<Status> closed = new ArrayList<>();
  private final ParkedListener<WhoAmIRequest> parked = new ParkedListener<>(new Call());

  @Test
  @DisplayName("given events before and after the start, then they are delivered in their order")
  void order() {
    parked.onReady();
    parked.onHalfClose();
    assertThat(delivered).isEmpty();

    parked.resume(Recorder::new);
    parked.onComplete();

    assertThat(delivered).containsExactly("ready", "half-close", "complete");
    assertThat(closed).isEmpty();
  }

  @Test
  @DisplayName("given a call that ended, when its caller is known, then it is not started")
  void ended() {
    parked.onCancel();

    parked.resume(
        () -> {
          throw new AssertionError("must not start");
        });

    assertThat(delivered).isEmpty();
  }

  @Test
  @DisplayName("given a start under way, when an event arrives, then its thread does not wait")
  void doesNotWait() throws Exception {
    var started = new CountDownLatch(1);
    var released = new CountDownLatch(1);
    var resuming =
        Thread.ofVirtual()
            .start(
                () ->
                    parked.resume(
                        () -> {
                          started.countDown();
                          awaitQuietly(released);
                          return new Recorder();
                        }));
    started.await();

    // would not return if it waited for the start
    parked.onCancel();

    assertThat(delivered).isEmpty();
    released.countDown();
    resuming.join();
    assertThat(delivered).containsExactly("cancel");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @DisplayName(
      "given a start or an event that fails, then the call is closed, and later ones arrive")
  void fails() {
    parked.onHalfClose();
    parked.resume(
        () ->
            new Recorder() {
              @Override
              public void onHalfClose() {
                throw new IllegalStateException("defect");
              }
            });
    parked.onComplete();
    assertThat(closed).extracting(Status::getCode).containsExactly(Status.Code.INTERNAL);
    assertThat(delivered).containsExactly("complete");

    var other = new ParkedListener<>(new Call());
    other.resume(
        () -> {
          throw new IllegalStateException("defect");
        });
    other.onComplete();
    assertThat(closed).hasSize(2);
  }

  private class Recorder extends ServerCall.Listener<WhoAmIRequest> {
    @Override
    public void onHalfClose() {
      delivered.add("half-close");
    }

    @Override
    public void onCancel() {
      delivered.add("cancel");
    }

    @Override
    public void onComplete() {
      delivered.add("complete");
    }

    @Override
    public void onReady() {
      delivered.add("ready");
    }
  }

  /** A call that can only be closed. */
  private final class Call extends ServerCall<WhoAmIRequest, WhoAmIResponse> {
    @Override
    public void close(Status status, Metadata trailers) {
      closed.add(status);
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(WhoAmIResponse message) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<WhoAmIRequest, WhoAmIResponse> getMethodDescriptor() {
      throw new UnsupportedOperationException();
    }
  }
}
