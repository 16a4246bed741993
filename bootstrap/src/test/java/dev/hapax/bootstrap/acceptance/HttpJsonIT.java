package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls by HTTP with JSON have the answers, rights and errors of calls by gRPC. */
@Tag("long")
class HttpJsonIT {
  private static final SecuredDeployment DEPLOYMENT = new SecuredDeployment();
  private static final int FUZZED = 10_000;

  private final HttpCaller http = DEPLOYMENT.http();

  @AfterAll
  static void close() {
    DEPLOYMENT.close();
  }

  private static List<MethodDescriptor<?, ?>> methods() {
    return ApiMethods.all().stream()
        .filter(method -> method.getType() == MethodType.UNARY)
        .toList();
  }

  /** A request that has nothing but a workspace. */
  private static Message request(MethodDescriptor<?, ?> method, String workspace) {
    var marshaller = (PrototypeMarshaller<?>) method.getRequestMarshaller();
    var builder = ((Message) Objects.requireNonNull(marshaller.getMessagePrototype())).toBuilder();
    var field = builder.getDescriptorForType().findFieldByName("workspace");
    if (field != null) {
      builder.setField(field, workspace);
    }
    var wait = builder.getDescriptorForType().findFieldByName("wait");
    if (wait != null) {
      builder.setField(wait, com.google.protobuf.Duration.getDefaultInstance());
    }
    return builder.build();
  }

  private static <Q, A> A grpc(MethodDescriptor<Q, A> method, Q request) {
    return ClientCalls.blockingUnaryCall(
        DEPLOYMENT.grpc(),
        method,
        CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS),
        request);
  }

  @SuppressWarnings("unchecked") // the request was made for the method
  private <Q> void compare(MethodDescriptor<Q, ?> method, Message request) {
    var answer = http.call(method, request);
    try {
      var expected = grpc(method, (Q) request);
      assertThat(answer.statusCode()).as("%s: %s", method, answer.body()).isEqualTo(200);
      assertThat(HttpCaller.parse(method, answer.body())).isEqualTo(expected);
    } catch (StatusRuntimeException e) {
      var status = Objects.requireNonNull(StatusProto.fromThrowable(e));
      assertThat(answer.statusCode()).as(answer.body()).isGreaterThanOrEqualTo(400);
      assertThat(HttpCaller.status(answer.body())).isEqualTo(status);
      assertThat(code(answer)).isEqualTo(e.getStatus().getCode().name().toLowerCase(Locale.ROOT));
    }
  }

  private static String code(HttpResponse<String> answer) {
    return HttpCaller.error(answer.body()).getFieldsOrThrow("code").getStringValue();
  }

  @Test
  @DisplayName("given every unary method, when called both ways, then answer or error is the same")
  void everyMethod() {
    assertThat(methods()).hasSizeGreaterThan(50);
    methods().stream()
        // its answer has the time
        .filter(method -> method != MonitoringServiceGrpc.getGetServerInfoMethod())
        .forEach(method -> compare(method, request(method, "every")));
    var info =
        http.send(
            MonitoringServiceGrpc.getGetServerInfoMethod(), GetServerInfoRequest.newBuilder());
    assertThat(info.getServer().getLimits().getMaxRequestBytes()).isEqualTo(1 << 20);
  }

  @Test
  @DisplayName(
      "given work that is done half by HTTP and half by gRPC, then it is one piece of work")
  void mixed() {
    var workspace = "mixed";
    var _ =
        http.send(
            DefinitionServiceGrpc.getRegisterDefinitionMethod(),
            RegisterDefinitionRequest.newBuilder()
                .setWorkspace(workspace)
                .setName("order")
                .setVersion("1")
                .addSteps(RunCaller.task("charge")));
    compare(
        DefinitionServiceGrpc.getGetDefinitionMethod(),
        GetDefinitionRequest.newBuilder().setWorkspace(workspace).setName("order").build());
    var start =
        StartRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setDefinition("order")
            .setIdempotencyKey("key")
            .setInput(Payload.newBuilder().setBinary(ByteString.copyFrom(new byte[] {0, -1, 62})));
    var run = http.send(RunServiceGrpc.getStartRunMethod(), start).getRun().getId();
    var again = grpc(RunServiceGrpc.getStartRunMethod(), start.build());
    assertThat(again.getCreated()).isFalse();
    assertThat(again.getRun().getId()).isEqualTo(run);
    var poll =
        http.send(
            WorkerServiceGrpc.getPollTasksMethod(),
            PollTasksRequest.newBuilder()
                .setWorkspace(workspace)
                .setWorkerId("w")
                .addQueues(RunCaller.QUEUE)
                .setMaxTasks(1));
    var claim = poll.getTasks(0).getClaim();
    var _ =
        http.send(
            HookServiceGrpc.getCreateHookMethod(),
            CreateHookRequest.newBuilder()
                .setWorkspace(workspace)
                .setRunId(run)
                .setClaim(claim)
                .setToken("order/1"));
    var hook = GetHookRequest.newBuilder().setWorkspace(workspace).setToken("order/1").build();
    compare(HookServiceGrpc.getGetHookMethod(), hook);
    var complete =
        CompleteTaskRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(claim)
            .setOutput(Caller.json("{\"paid\": true}"));
    assertThat(grpc(WorkerServiceGrpc.getCompleteTaskMethod(), complete.build()).hasClaimLost())
        .isFalse();
    compare(
        RunServiceGrpc.getGetRunMethod(),
        GetRunRequest.newBuilder().setWorkspace(workspace).setRunId(run).build());
    compare(
        RunServiceGrpc.getListRunsMethod(),
        ListRunsRequest.newBuilder().setWorkspace(workspace).build());
    compare(
        RunServiceGrpc.getListRunEventsMethod(),
        ListRunEventsRequest.newBuilder().setWorkspace(workspace).setRunId(run).build());
    compare(
        RunServiceGrpc.getListStepsMethod(),
        ListStepsRequest.newBuilder().setWorkspace(workspace).setRunId(run).build());
    compare(
        RunServiceGrpc.getExplainRunMethod(),
        ExplainRunRequest.newBuilder().setWorkspace(workspace).setRunId(run).build());
  }

  private static PollTasksRequest.Builder poll(String workspace) {
    return PollTasksRequest.newBuilder()
        .setWorkspace(workspace)
        .setWorkerId("w")
        .addQueues(RunCaller.QUEUE)
        .setMaxTasks(1)
        .setWait(Caller.millis(1));
  }

  @Test
  @DisplayName("given an operation that HTTP completes, when gRPC repeats it, then it is replayed")
  void operation() {
    var begin =
        BeginOperationRequest.newBuilder()
            .setWorkspace("operations")
            .setOperation(Caller.OPERATION)
            .setRequestId("r1")
            .setAttemptId("a1");
    var acquired = http.send(OperationServiceGrpc.getBeginOperationMethod(), begin).getAcquired();
    assertThat(
            grpc(OperationServiceGrpc.getBeginOperationMethod(), begin.setAttemptId("a2").build())
                .hasInProgress())
        .isTrue();
    var _ =
        http.send(
            OperationServiceGrpc.getCompleteOperationMethod(),
            CompleteOperationRequest.newBuilder()
                .setClaim(acquired.getClaim())
                .setResult(Caller.json("{\"charged\": 30}")));
    compare(OperationServiceGrpc.getBeginOperationMethod(), begin.build());
    compare(
        OperationServiceGrpc.getGetOperationMethod(),
        GetOperationRequest.newBuilder()
            .setWorkspace("operations")
            .setOperation(Caller.OPERATION)
            .setRequestId("r1")
            .build());
  }

  @Test
  @Tag("A2")
  @DisplayName("given no key or a role without the right, then the status is 401 or 403 [A2]")
  void access() {
    for (var method : methods()) {
      var refused = http.withoutKey().call(method, request(method, "home"));
      assertThat(refused.statusCode()).as("%s", method).isEqualTo(401);
      assertThat(code(refused)).isEqualTo("unauthenticated");
      var name = method.getBareMethodName();
      if (!List.of("GetServerInfo", "WhoAmI").contains(name)) {
        var elsewhere = DEPLOYMENT.viewer().call(method, request(method, "elsewhere"));
        assertThat(elsewhere.statusCode()).as("%s", method).isEqualTo(403);
        assertThat(code(elsewhere)).isEqualTo("permission_denied");
      }
    }
    var list = RunServiceGrpc.getListRunsMethod();
    assertThat(DEPLOYMENT.viewer().call(list, request(list, "home")).statusCode()).isEqualTo(200);
    var start = RunServiceGrpc.getStartRunMethod();
    assertThat(DEPLOYMENT.viewer().call(start, request(start, "home")).statusCode()).isEqualTo(403);
  }

  @Test
  @DisplayName("given a call that is audited, then the log has the caller and its address")
  void audit() {
    var cancel = RunServiceGrpc.getCancelRunMethod();
    var request =
        CancelRunRequest.newBuilder().setWorkspace("home").setRunId("run_audited").build();
    assertThat(DEPLOYMENT.viewer().call(cancel, request).statusCode()).isEqualTo(403);
    var line =
        DEPLOYMENT
            .server()
            .awaitError(each -> each.contains("CancelRun\"") && each.contains("api-key:viewer"));
    assertThat(line)
        .contains("\"principal\":\"api-key:viewer\"")
        .containsPattern("\"address\":\"127\\.0\\.0\\.1:[1-9][0-9]+\"")
        .contains("PERMISSION_DENIED");
  }

  @Test
  @DisplayName("given a long poll, when the run ends, then its answer comes at once")
  void longPoll() throws Exception {
    var workspace = "waiting";
    var _ =
        http.send(
            DefinitionServiceGrpc.getRegisterDefinitionMethod(),
            RegisterDefinitionRequest.newBuilder()
                .setWorkspace(workspace)
                .setName("order")
                .setVersion("1")
                .addSteps(RunCaller.task("charge")));
    var run =
        http.send(
                RunServiceGrpc.getStartRunMethod(),
                StartRunRequest.newBuilder().setWorkspace(workspace).setDefinition("order"))
            .getRun()
            .getId();
    var wait =
        AwaitRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(run)
            .setWait(Caller.seconds(30))
            .build();
    var begun = System.nanoTime();
    var waiting =
        http.start(
            RunServiceGrpc.getAwaitRunMethod().getFullMethodName(),
            HttpCaller.json(wait).getBytes(StandardCharsets.UTF_8));
    Condition.await(
        "the call waits",
        () ->
            DEPLOYMENT
                .metrics()
                .contains("hapax_calls_under_way{rpc=\"RunService/AwaitRun\"} 1.0"));
    assertThat(waiting).isNotDone();
    var _ =
        grpc(
            RunServiceGrpc.getCancelRunMethod(),
            CancelRunRequest.newBuilder().setWorkspace(workspace).setRunId(run).build());
    var answer = waiting.get(60, TimeUnit.SECONDS);
    assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(25));
    assertThat(
            HttpCaller.parse(RunServiceGrpc.getAwaitRunMethod(), answer.body())
                .getRun()
                .getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
  }

  @Test
  @DisplayName(
      "given bodies with a few bytes changed, then no answer is an error of the server [X4]")
  void mutations() {
    var seed = Long.getLong("hapax.test.seed", System.nanoTime());
    var random = new Random(seed);
    var examples =
        List.of(
            new Example(
                RunServiceGrpc.getStartRunMethod(),
                """
                {"workspace": "fuzz", "definition": "order", "input": {"json": "{\\"a\\": 1}"},
                "labels": {"a": "b"}, "startAt": "2026-11-23T00:00:00Z", "hooks": [{"token": "t",
                "onConflict": "ON_CONFLICT_REJECT"}], "keyRetention": "3600.5s"}"""),
            new Example(
                OperationServiceGrpc.getBeginOperationMethod(),
                """
                {"workspace": "fuzz", "operation": "a.v1.B/C", "requestId": "r", "attemptId": "a",
                "fingerprint": "AAEC", "lease": "60s", "accountChanging": true}"""),
            new Example(
                DefinitionServiceGrpc.getRegisterDefinitionMethod(),
                """
                {"workspace": "fuzz", "name": "order", "version": "1", "steps": [{"name": "a",
                "task": {"queue": "q", "lease": "30s", "retry": {"factor": 1.5, "maxAttempts": 3}}}]}"""),
            new Example(
                RunServiceGrpc.getListRunsMethod(),
                "{\"workspace\": \"fuzz\", \"pageSize\": 10, \"pageToken\": \"AAAA\"}"));
    var statuses = new java.util.TreeMap<Integer, Integer>();
    for (var i = 0; i < FUZZED; i++) {
      var example = examples.get(i % examples.size());
      var body = mutated(random, example.json().getBytes(StandardCharsets.UTF_8));
      var answer = http.call(example.method().getFullMethodName(), body);
      assertThat(answer.statusCode())
          .as("seed %d: %s: %s", seed, new String(body, StandardCharsets.UTF_8), answer.body())
          .matches(status -> status == 200 || (status >= 400 && status < 500));
      assertThat(answer.body()).doesNotContain("Exception", "com.google", "dev.hapax");
      statuses.merge(answer.statusCode(), 1, Integer::sum);
    }
    assertThat(statuses).containsKeys(200, 400);
    // more than all bodies may have together, so each one gives its memory back
    var large = new byte[1 << 20];
    for (var i = 0; i < 100; i++) {
      assertThat(http.call(examples.getFirst().method().getFullMethodName(), large).statusCode())
          .isEqualTo(400);
    }
    assertThat(DEPLOYMENT.server().loggedErrors()).as("seed %d", seed).isEmpty();
  }

  private record Example(MethodDescriptor<?, ?> method, String json) {}

  private static byte[] mutated(Random random, byte[] json) {
    var bytes = json;
    for (var changes = 1 + random.nextInt(3); changes > 0; changes--) {
      var at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, at));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 ->
            bytes[at] = "{}[]\":,\\0-e".getBytes(StandardCharsets.US_ASCII)[random.nextInt(11)];
        default -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return bytes;
  }

  @Test
  @DisplayName(
      "given a long poll, when the server stops, then the poll is answered and the exit is 0")
  void drain() throws Exception {
    try (var deployment = new SecuredDeployment()) {
      var poll = HttpCaller.json(poll("home").setWait(Caller.seconds(30)).build());
      var method = WorkerServiceGrpc.getPollTasksMethod().getFullMethodName();
      var waiting = deployment.http().start(method, poll.getBytes(StandardCharsets.UTF_8));
      Condition.await(
          "the call waits",
          () ->
              deployment
                  .metrics()
                  .contains("hapax_calls_under_way{rpc=\"WorkerService/PollTasks\"} 1.0"));
      deployment.server().terminate();
      assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(deployment.server().awaitExit()).isZero();
      assertThat(deployment.server().loggedErrors()).isEmpty();
    }
  }
}
