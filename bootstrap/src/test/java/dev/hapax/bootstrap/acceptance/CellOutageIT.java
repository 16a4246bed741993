package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A cell beside the first one that does not answer, at the start of a server or later. */
class CellOutageIT {
  /** A call of another cell must not wait for the one that is down. */
  private static final Duration PROMPT = Duration.ofSeconds(5);

  private final CellDatabases cells = CellDatabases.create();
  private Deployment deployment = Deployment.of(cells, "--metrics-listen=127.0.0.1:0");

  @AfterEach
  void close() {
    cells.second().allowConnections(true);
    deployment.close();
  }

  private void stopSecond() {
    cells.second().allowConnections(false);
    cells.second().disconnectAll();
  }

  private static StatusRuntimeException refusal(Caller caller) {
    return catchThrowableOfType(
        StatusRuntimeException.class, () -> caller.acquire("refused-" + System.nanoTime()));
  }

  private static boolean isRefusedByName(Caller caller) {
    var refusal = refusal(caller);
    return refusal != null && String.valueOf(refusal.getMessage()).contains("cell second");
  }

  private static void requireRefusal(Caller caller) {
    var refusal = refusal(caller);
    assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(refusal).hasMessageContaining("cell second");
    var status = Objects.requireNonNull(StatusProto.fromThrowable(refusal));
    assertThat(status.getDetailsList()).anyMatch(detail -> detail.is(RetryInfo.class));
  }

  private static void requirePrompt(Caller caller) {
    var begun = System.nanoTime();
    assertThat(caller.acquire("prompt-" + begun).getId()).isNotEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PROMPT);
  }

  private static boolean isServed(Caller caller) {
    return refusal(caller) == null;
  }

  @Test
  @DisplayName(
      "given a cell that stops, then only its workspaces are unavailable, and they come back with"
          + " it [S2]")
  void later() {
    try (var there = Caller.to(deployment.target());
        var here = Caller.to(deployment.target())) {
      cells.place(there.workspace());
      Condition.await("the map is read", () -> isServed(there));

      stopSecond();
      Condition.await("the outage is known", () -> isRefusedByName(there));
      requireRefusal(there);
      requirePrompt(here);
      assertThat(openWork(there)).contains("cell second");
      var probe = Probe.of(deployment.server());
      Condition.await(
          "the probe lists the cell",
          () -> probe.get("/readyz").body().contains("cell second: the database does not answer"));
      assertThat(probe.get("/readyz").status()).isEqualTo(200);
      assertThat(probe.metric("hapax_cell_usable{cell=\"second\"}")).isZero();
      assertThat(probe.metric("hapax_commits_total{cell=\"second\"}")).isPositive();
      assertThat(probe.metric("hapax_pool_waiting{cell=\"default\",pool=\"ledger\"}")).isZero();

      cells.second().allowConnections(true);
      Condition.await("the cell is back", () -> isServed(there));
      requirePrompt(here);
    }
  }

  /** The error with which a Work stream ends. */
  private static String openWork(Caller caller) {
    var ended = new CompletableFuture<String>();
    var stream =
        WorkerServiceGrpc.newStub(caller.channel())
            .work(
                new StreamObserver<>() {
                  @Override
                  public void onNext(WorkResponse response) {}

                  @Override
                  public void onError(Throwable failure) {
                    ended.complete(String.valueOf(failure.getMessage()));
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete("");
                  }
                });
    stream.onNext(
        WorkRequest.newBuilder()
            .setOpen(
                WorkRequest.Open.newBuilder()
                    .setWorkspace(caller.workspace())
                    .addQueues(RunCaller.QUEUE)
                    .setWorkerId("worker"))
            .setCredit(1)
            .build());
    return ended.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  @DisplayName(
      "given a cell that is down at the start, then the server is ready, and serves the cell when"
          + " it answers")
  void atStart() {
    try (var there = Caller.to(deployment.target())) {
      cells.place(there.workspace());
      stopSecond();
      var restarted = deployment.add("--metrics-listen=127.0.0.1:0");
      var target = restarted.awaitReady();
      try (var moved = there.via(target);
          var here = Caller.to(target)) {
        requireRefusal(moved);
        requirePrompt(here);
        assertThat(openWork(moved)).contains("cell second");
        var ready = Probe.of(restarted).get("/readyz");
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.body()).contains("cell second: ");

        cells.second().allowConnections(true);
        Condition.await("the cell is opened", () -> isServed(moved));
      }
    }
  }
}
