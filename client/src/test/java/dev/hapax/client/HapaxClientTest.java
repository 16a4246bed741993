package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.claim.ActionException;
import dev.hapax.client.operation.OperationException;
import dev.hapax.client.run.RunCancelledException;
import dev.hapax.client.run.RunFailedException;
import dev.hapax.client.run.RunNotEndedException;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.worker.HookConflictException;
import dev.hapax.client.worker.TaskLostException;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import io.grpc.ManagedChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The entry point and its options. */
class HapaxClientTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();

  @AfterEach
  void close() {
    hapax.close();
  }

  @Test
  @DisplayName("given a workspace and an actor, when a run is started, then the request has both")
  void options() {
    HapaxClient client =
        hapax.client(options -> options.withWorkspace("tenant-1").withActor("ann"));

    client.runs().start(RunRequest.of("order"));

    assertThat(hapax.runs.requests(StartRunRequest.class))
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getWorkspace()).isEqualTo("tenant-1");
              assertThat(request.getActor()).isEqualTo("ann");
            });
  }

  @Test
  @DisplayName("given other settings, when a run is started, then the first client keeps its own")
  void with() {
    HapaxClient first = hapax.client(options -> options.withWorkspace("one"));

    first.with(options -> options.withWorkspace("two")).runs().start(RunRequest.of("order"));
    first.runs().start(RunRequest.of("order"));

    assertThat(hapax.runs.requests(StartRunRequest.class))
        .extracting(StartRunRequest::getWorkspace)
        .containsExactly("two", "one");
  }

  @Test
  @DisplayName("given a method of no part, when it is called, then the request is sent as it is")
  void call() {
    StartRunRequest request = StartRunRequest.newBuilder().setDefinition("order").build();

    hapax
        .client(options -> options.withWorkspace("one"))
        .call(RunServiceGrpc.getStartRunMethod(), request);

    assertThat(hapax.runs.requests(StartRunRequest.class)).containsExactly(request);
  }

  @Test
  @DisplayName("given no server, when a call gives up, then the error says what the network said")
  void unreachable() {
    ManagedChannel nowhere = HapaxChannel.to("127.0.0.1:1").plaintext().open();
    try {
      HapaxClient client =
          HapaxClient.on(nowhere, ClientOptions.DEFAULT.withCallTimeout(Duration.ofMillis(1)));

      assertThatThrownBy(() -> client.monitoring().serverInfo())
          .isInstanceOfSatisfying(
              HapaxException.Unavailable.class,
              unavailable -> {
                assertThat(unavailable.error().getCode()).isEqualTo(14);
                assertThat(unavailable.error().getReason())
                    .isEqualTo(ErrorReason.ERROR_REASON_UNSPECIFIED);
                assertThat(unavailable.error().getMessage()).isNotEmpty();
              });
    } finally {
      nowhere.shutdownNow();
    }
  }

  @Test
  @DisplayName("given one client, when a part is requested twice, then both are the same object")
  void parts() {
    HapaxClient client = HapaxClient.on(hapax.channel);

    assertThat(client.operations()).isSameAs(client.operations());
    assertThat(client.runs()).isSameAs(client.runs());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  @DisplayName("given a timeout that is not positive, when options are built, then it is rejected")
  void timeouts(long millis) {
    Duration timeout = Duration.ofMillis(millis);

    assertThatThrownBy(() -> ClientOptions.DEFAULT.withTryTimeout(timeout))
        .hasMessageContaining("tryTimeout");
    assertThatThrownBy(() -> ClientOptions.DEFAULT.withCallTimeout(timeout))
        .hasMessageContaining("callTimeout");
    assertThatThrownBy(() -> ClientOptions.DEFAULT.withRecordTimeout(timeout))
        .hasMessageContaining("recordTimeout");
  }

  @Test
  @DisplayName("given an actor of 256 characters, when options are built, then it is rejected")
  void actor() {
    assertThatThrownBy(() -> ClientOptions.DEFAULT.withActor("a".repeat(256)))
        .hasMessageContaining("actor");
  }

  @Test
  @DisplayName(
      "given the client's exceptions, when they are caught, then HapaxException is the root")
  void root() {
    assertThat(HapaxException.class)
        .isAssignableFrom(OperationException.class)
        .isAssignableFrom(ActionException.class)
        .isAssignableFrom(RunFailedException.class)
        .isAssignableFrom(RunCancelledException.class)
        .isAssignableFrom(RunNotEndedException.class)
        .isAssignableFrom(TaskLostException.class)
        .isAssignableFrom(HookConflictException.class)
        .isAssignableFrom(WorkFailure.class);
  }
}
