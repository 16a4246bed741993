package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls by HTTP that last: a watched run, and a poll whose client goes away. */
@Timeout(120)
class HttpStreamIT {
  private static final String POLL = WorkerServiceGrpc.getPollTasksMethod().getFullMethodName();

  private static final Duration SOONER_THAN_A_WAIT = Duration.ofSeconds(15);

  /** Not the shared one: its calls under way are counted. */
  private static final SecuredDeployment DEPLOYMENT = new SecuredDeployment();

  @BeforeAll
  static void define() {
    define(DEPLOYMENT);
  }

  @AfterAll
  static void close() {
    DEPLOYMENT.close();
  }

  private static void define(SecuredDeployment deployment) {
    var _ =
        deployment
            .http()
            .send(
                DefinitionServiceGrpc.getRegisterDefinitionMethod(),
                RegisterDefinitionRequest.newBuilder()
                    .setName("order")
                    .setVersion("1")
                    .addSteps(RunCaller.task("charge")));
  }

  private static String start(SecuredDeployment deployment) {
    return deployment
        .http()
        .send(
            RunServiceGrpc.getStartRunMethod(), StartRunRequest.newBuilder().setDefinition("order"))
        .getRun()
        .getId();
  }

  private static void cancel(String run) {
    var _ =
        DEPLOYMENT
            .http()
            .send(RunServiceGrpc.getCancelRunMethod(), CancelRunRequest.newBuilder().setRunId(run));
  }

  private static WatchRunRequest watch(String run) {
    return WatchRunRequest.newBuilder().setRunId(run).build();
  }

  /** The next message of a stream of JSON; empty = its end, which says this. */
  private static Optional<WatchRunResponse> next(DataInputStream stream, String end)
      throws IOException {
    var flags = stream.readUnsignedByte();
    var json = new String(stream.readNBytes(stream.readInt()), StandardCharsets.UTF_8);
    if (flags == 2) {
      assertThat(json).contains(end);
      return Optional.empty();
    }
    var message = WatchRunResponse.newBuilder();
    try {
      JsonFormat.parser().merge(json, message);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(json, e);
    }
    return Optional.of(message.build());
  }

  @Test
  @DisplayName("given a run, when it is watched by HTTP, then its events are those of gRPC")
  void events() throws Exception {
    var run = start(DEPLOYMENT);
    var received = new ArrayList<WatchRunResponse>();
    try (var stream = DEPLOYMENT.http().watch(watch(run))) {
      received.add(next(stream, "").orElseThrow());
      // the stream goes on
      cancel(run);
      for (var event = next(stream, "{}"); event.isPresent(); event = next(stream, "{}")) {
        received.add(event.get());
      }
      assertThat(stream.read()).isEqualTo(-1);
    }
    var expected = new ArrayList<WatchRunResponse>();
    RunServiceGrpc.newBlockingStub(DEPLOYMENT.grpc())
        .watchRun(watch(run))
        .forEachRemaining(expected::add);
    assertThat(received).isEqualTo(expected).hasSizeGreaterThan(1);
  }

  @Test
  @DisplayName(
      "given a watched run, when the server stops, then the stream says so and the exit is 0")
  void drain() throws Exception {
    try (var deployment = new SecuredDeployment()) {
      define(deployment);
      try (var stream = deployment.http().watch(watch(start(deployment)))) {
        assertThat(next(stream, "")).isPresent();
        deployment.server().terminate();
        for (var event = next(stream, ""); event.isPresent(); ) {
          event = next(stream, "\"code\":\"unavailable\"");
        }
        assertThat(deployment.server().awaitExit()).isZero();
      }
      assertThat(deployment.server().loggedErrors()).isEmpty();
    }
  }

  @Test
  @DisplayName("given a poll and a watch that wait, when their clients go away, then both end")
  void gone() throws Exception {
    var ended = start(DEPLOYMENT);
    var poll =
        PollTasksRequest.newBuilder()
            .setWorkerId("w")
            .addQueues("other")
            .setWait(Caller.seconds(30));
    var waiting =
        DEPLOYMENT
            .http()
            .start(POLL, HttpCaller.json(poll.build()).getBytes(StandardCharsets.UTF_8));
    try (var stream = DEPLOYMENT.http().watch(watch(ended))) {
      assertThat(next(stream, "")).isPresent();
      awaitCalls("WorkerService/PollTasks", 1);
      awaitCalls("RunService/WatchRun", 1);
    }
    waiting.cancel(true);
    awaitCalls("WorkerService/PollTasks", 0);
    awaitCalls("RunService/WatchRun", 0);
    assertThat(DEPLOYMENT.server().loggedErrors()).isEqualTo(List.of());
  }

  private static void awaitCalls(String rpc, int count) {
    Condition.await(
        String.format(Locale.ROOT, "%d calls of %s are under way", count, rpc),
        SOONER_THAN_A_WAIT,
        () ->
            DEPLOYMENT
                .metrics()
                .contains(
                    String.format(
                        Locale.ROOT, "hapax_calls_under_way{rpc=\"%s\"} %d.0", rpc, count)));
  }
}
