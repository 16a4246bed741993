package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Run;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UnaryTest {
  private final Caller caller = new Caller();
  private final CompletableFuture<String> granted = new CompletableFuture<>();
  private final List<String> released = new ArrayList<>();

  /** Keeps what it is answered with. */
  private static final class Caller extends ServerCallStreamObserver<GetRunResponse> {
    private final List<GetRunResponse> answers = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();
    private Runnable onCancel = () -> {};
    private boolean cancelled;
    private boolean ended;

    void cancel() {
      cancelled = true;
      onCancel.run();
    }

    @Override
    public void onNext(GetRunResponse answer) {
      if (ended) {
        throw new RejectedExecutionException("event executor terminated");
      }
      answers.add(answer);
    }

    @Override
    public void onError(Throwable error) {
      errors.add(error);
    }

    @Override
    public boolean isCancelled() {
      return cancelled;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
      onCancel = handler;
    }

    @Override
    public void onCompleted() {}

    @Override
    public void setOnCloseHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void disableAutoInboundFlowControl() {}
  }

  private static GetRunResponse encode(String output) {
    return GetRunResponse.newBuilder()
        .setRun(Run.newBuilder().setOutput(Payload.newBuilder().setJson(output)))
        .build();
  }

  @Test
  @DisplayName("given large responses being sent, when a grant completes, then it is sent at once")
  void handsAtOnce() {
    var left = new CompletableFuture<Void>();
    var _ = AnswerBudget.OF_PROCESS.count(Integer.MAX_VALUE, left);
    try {
      Unary.respondWithGrant(caller, () -> granted, UnaryTest::encode, released::add);
      granted.complete("x".repeat(100_000));

      assertThat(caller.answers).hasSize(1);
    } finally {
      left.complete(null);
    }
  }

  @Test
  @DisplayName(
      "given a transport that has ended, when a grant completes, then it is released once, and nothing"
          + " is logged as a defect [kill-loops-K6]")
  void transportEnded() {
    caller.ended = true;
    Unary.respondWithGrant(caller, () -> granted, UnaryTest::encode, released::add);
    granted.complete("task");

    assertThat(released).containsExactly("task");
    assertThat(caller.errors).isEmpty();
  }

  @Test
  @DisplayName("given a grant that cannot be encoded, then it is released once")
  void cannotBeEncoded() {
    Unary.respondWithGrant(
        caller,
        () -> granted,
        _ -> {
          throw new IllegalStateException("broken");
        },
        released::add);
    granted.complete("task");

    assertThat(released).containsExactly("task");
    assertThat(caller.answers).isEmpty();
    assertThat(caller.errors).hasSize(1);
  }

  @Test
  @DisplayName(
      "given a caller that cancels as its grant completes, then the grant is released once")
  void goesAway() {
    Unary.respondWithGrant(caller, granted::copy, UnaryTest::encode, released::add);
    caller.cancelled = true;
    granted.complete("task");
    caller.cancel();

    assertThat(released).containsExactly("task");
    assertThat(caller.answers).isEmpty();
  }
}
