package dev.hapax.bootstrap.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Controls runs of a server that misbehaves as no real one does on request. */
class ControlRunsCommandTest {
  private static final String UNAVAILABLE = "run_unavailable";

  private static final String UNAVAILABLE_ONCE = "run_unavailable_once";

  private final MovingRuns runs = new MovingRuns();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Server server;

  ControlRunsCommandTest() {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(runs)
            .build();
  }

  @BeforeEach
  void start() throws IOException {
    server = server.start();
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  private int cancel(String... arguments) {
    return HapaxCommand.commandLine(Map.of("HAPAX_SERVER", "127.0.0.1:" + server.getPort()))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(
            Stream.concat(Stream.of("run", "cancel"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  @DisplayName("given a run that moves between statuses while they are listed, then it is found")
  void findsMovingRuns() {
    assertThat(cancel("--all", "--yes")).isZero();

    assertThat(out).hasToString("cancelled 2 of 2 runs\n");
    assertThat(runs.cancelled).containsExactlyInAnyOrder("run_still", "run_moving");
  }

  @Test
  @DisplayName("given a failure that ends the command, then all that was changed before is printed")
  void printsWhatWasChanged() {
    var ids = new ArrayList<>(List.of("run_a", "run_b", UNAVAILABLE));
    IntStream.range(0, 97).mapToObj(i -> "run_" + i).forEach(ids::add);
    ids.add("run_of_the_next_page");

    assertThat(cancel(ids.toArray(String[]::new))).isEqualTo(1);
    assertThat(out).hasToString("cancelled 99 of 101 runs\n");
    assertThat(err.toString()).contains("cannot connect to a hapax server at ");
    assertThat(runs.cancelled).hasSize(99).doesNotContain("run_of_the_next_page");

    out.getBuffer().setLength(0);
    ids.add("--json");
    assertThat(cancel(ids.toArray(String[]::new))).isEqualTo(1);
    assertThat(out.toString().lines()).hasSize(99);
  }

  @Test
  @DisplayName("given a server that is unavailable for a moment, then the call is repeated")
  void repeatsCalls() {
    assertThat(cancel(UNAVAILABLE_ONCE, "--json")).isZero();

    assertThat(runs.cancelled).containsExactly(UNAVAILABLE_ONCE);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  @DisplayName("given a reason that is too long, then it is wrong usage, and no run is changed")
  void reason() {
    assertThat(cancel("run_a", "--reason", "x".repeat(256))).isEqualTo(2);

    assertThat(err.toString()).contains("reason must have at most 255 characters");
    assertThat(runs.cancelled).isEmpty();
  }

  /** One run waits. The other one moves: only a list of all open statuses is sure to have it. */
  private static final class MovingRuns extends RunServiceGrpc.RunServiceImplBase {
    private static final List<RunStatus> OPEN =
        List.of(
            RunStatus.RUN_STATUS_PENDING,
            RunStatus.RUN_STATUS_RUNNING,
            RunStatus.RUN_STATUS_WAITING,
            RunStatus.RUN_STATUS_PAUSED);

    private final Queue<String> cancelled = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean wasUnavailable = new AtomicBoolean();

    @Override
    public void listRuns(ListRunsRequest request, StreamObserver<ListRunsResponse> caller) {
      var page = ListRunsResponse.newBuilder();
      if (request.getStatusesList().contains(RunStatus.RUN_STATUS_WAITING)) {
        page.addRuns(Run.newBuilder().setId("run_still"));
      }
      if (request.getStatusesList().containsAll(OPEN)) {
        page.addRuns(Run.newBuilder().setId("run_moving"));
      }
      caller.onNext(page.build());
      caller.onCompleted();
    }

    @Override
    public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> caller) {
      if (request.getRunId().equals(UNAVAILABLE)
          || (request.getRunId().equals(UNAVAILABLE_ONCE) && !wasUnavailable.getAndSet(true))) {
        caller.onError(Status.UNAVAILABLE.asRuntimeException());
        return;
      }
      cancelled.add(request.getRunId());
      caller.onNext(
          CancelRunResponse.newBuilder()
              .setRun(Run.newBuilder().setId(request.getRunId()))
              .build());
      caller.onCompleted();
    }
  }
}
