package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GatedFeatureTest {
  private final CompletableFuture<Boolean> gate = new CompletableFuture<>();
  private final GatedFeature feature = new GatedFeature(() -> gate, "turns");
  private final CompletableFuture<String> useCase = new CompletableFuture<>();
  private final CompletableFuture<String> call = feature.call(true, () -> useCase);

  @Test
  @DisplayName("given an open gate, when the caller leaves, then the use case is cancelled")
  void left() {
    gate.complete(true);
    assertThat(useCase).isNotDone();
    call.cancel(false);
    assertThat(useCase).isCancelled();
  }

  @Test
  @DisplayName(
      "given a caller that leaves before the gate is open, then the use case is not called")
  void leftBefore() {
    var called = new CompletableFuture<Void>();
    var before =
        feature.call(
            true,
            () -> {
              called.complete(null);
              return useCase;
            });
    before.cancel(false);
    assertThat(gate).isCancelled();
    assertThat(called).isNotDone();
  }
}
