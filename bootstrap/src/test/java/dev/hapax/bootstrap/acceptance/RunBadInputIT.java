package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.StepDefinition;
import io.grpc.Status.Code;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class RunBadInputIT {
  private static final Set<RunRpc> OF_A_TASK =
      EnumSet.of(
          RunRpc.COMPLETE,
          RunRpc.FAIL,
          RunRpc.SUSPEND,
          RunRpc.RELEASE,
          RunRpc.HEARTBEAT,
          RunRpc.RECORD,
          RunRpc.RECORDS,
          RunRpc.CREATE_HOOK);
  private static final Set<RunRpc> BY_TOKEN =
      EnumSet.of(RunRpc.SIGNAL_HOOK, RunRpc.GET_HOOK, RunRpc.DISPOSE_HOOK);
  private static final List<String> TABLES =
      List.of(
          "definition",
          "run",
          "run_event",
          "run_key",
          "run_signal",
          "run_step",
          "run_label",
          "hook");

  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());
  private String runId = "";
  private Claim claim = Claim.getDefaultInstance();
  private String before = "";

  @BeforeEach
  void holdTask() {
    caller.define(
        RunRpc.DEFINITION,
        StepDefinition.newBuilder()
            .setName("charge")
            // longer than all the requests of a test may take
            .setTask(RunCaller.work(Caller.seconds(3_600)))
            .build());
    runId = caller.started(RunRpc.DEFINITION);
    claim = caller.poll("worker").getClaim();
    before = stored();
    assertThat(deployment.complaints()).isEmpty();
  }

  /** All that is stored of this workspace. */
  private String stored() {
    var all = new StringBuilder();
    for (var table : TABLES) {
      all.append(
          deployment
              .database()
              .query(
                  "SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') FROM hapax.%s t"
                          .formatted(table)
                      + " WHERE workspace = '%s'".formatted(caller.workspace())));
    }
    return all.toString();
  }

  @AfterEach
  void nothingHappened() {
    assertThat(stored()).isEqualTo(before);
    assertThat(deployment.complaints()).isEmpty();
    caller.close();
  }

  /** A field of a request. */
  private record Place(RunRpc rpc, String path) {}

  private Message.Builder example(RunRpc rpc) {
    return rpc.example(caller, runId, claim);
  }

  private DynamicTest refused(Place place, String what, Object value) {
    return refused(place.rpc, place.path, what, with(place, value));
  }

  private byte[] with(Place place, Object value) {
    return Edit.set(example(place.rpc), place.path, value).build().toByteArray();
  }

  private DynamicTest refused(RunRpc rpc, String field, String what, byte[] request) {
    return dynamicTest(
        "X4: %s: %s %s".formatted(rpc, field, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.raw().call(caller.caller(), request));
          assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
          assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
          assertThat(refusal.fields()).containsExactly(field);
          assertThat(refusal.message()).startsWith(field + " ");
        });
  }

  @TestFactory
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(RunRpc.values())
        .map(rpc -> refused(new Place(rpc, "workspace"), "= <A>", "A"));
  }

  @TestFactory
  Stream<DynamicTest> claims() {
    return OF_A_TASK.stream()
        .map(rpc -> new Place(rpc, rpc == RunRpc.HEARTBEAT ? "claims[0].id" : "claim.id"))
        .map(place -> without(place, place.path));
  }

  @TestFactory
  Stream<DynamicTest> meaning() {
    return Stream.of(
        without(new Place(RunRpc.SUSPEND, "duration"), "time"),
        refused(
            RunRpc.SUSPEND,
            "signal_filter",
            "has no value",
            with(new Place(RunRpc.SUSPEND, "signal_filter"), SignalFilter.getDefaultInstance())),
        refused(new Place(RunRpc.SUSPEND, "signal_filter.hook"), "is a token", "order/4711"),
        refused(
            RunRpc.REGISTER,
            "steps[0].signal",
            "is missing",
            with(new Place(RunRpc.REGISTER, "steps[0].signal"), SignalStep.getDefaultInstance())),
        refused(new Place(RunRpc.COMPLETE, "state_patch.json"), "= []", "[]"),
        refused(
            new Place(RunRpc.COMPLETE, "state_patch.json"),
            "with half a character",
            "{\"a\":\"\\ud83d\"}"),
        refused(
            new Place(RunRpc.SUSPEND, "state_patch"),
            "is binary",
            Payload.newBuilder().setBinary(ByteString.copyFromUtf8("{}")).build()));
  }

  private DynamicTest without(Place place, String field) {
    var request = Edit.clear(example(place.rpc), place.path).build().toByteArray();
    return refused(place.rpc, field, "has no value", request);
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> pageTokens() {
    return Stream.of(RunRpc.LIST_DEFINITIONS, RunRpc.LIST, RunRpc.EVENTS, RunRpc.STEPS)
        .flatMap(
            rpc ->
                Stream.of("x", "!!!!", "x".repeat(300), "A".repeat(31), "_".repeat(11))
                    .map(bad -> refused(new Place(rpc, "page_token"), "= <" + bad + ">", bad)));
  }

  @Test
  @DisplayName("given many starts with an invalid one, then only that one is rejected [X4]")
  void startMany() {
    var starts = StartRunsRequest.newBuilder().setWorkspace(caller.workspace());
    List.of("x".repeat(256), "a\0b", "a\n").forEach(bad -> starts.addRequests(caller.start(bad)));
    starts.addRequests(
        caller.start(RunRpc.DEFINITION).setInput(Caller.json("[".repeat(65) + "]".repeat(65))));
    starts.addRequests(caller.start(RunRpc.DEFINITION).setKeyRetention(duration(-1, 0)));
    starts.addRequests(caller.start(RunRpc.DEFINITION).setWorkspace("another"));
    starts.addRequests(caller.start(RunRpc.DEFINITION).setOnKeyMismatchValue(99));
    starts.addRequests(caller.start("nothing").setIdempotencyKey("key"));

    var results = caller.runs().startRuns(starts.build()).getResultsList();

    assertThat(results).hasSize(starts.getRequestsCount());
    var invalid = results.subList(0, results.size() - 1);
    assertThat(invalid)
        .allMatch(result -> result.getError().getCode() == Code.INVALID_ARGUMENT.value());
    assertThat(results.getLast().getError().getCode()).isEqualTo(Code.NOT_FOUND.value());
    assertThat(invalid.getFirst().getError().getMessage()).startsWith("definition has");
  }

  @TestFactory
  Stream<DynamicTest> foreignIds() {
    var withRunId =
        EnumSet.complementOf(
            EnumSet.of(
                RunRpc.REGISTER,
                RunRpc.GET_DEFINITION,
                RunRpc.LIST_DEFINITIONS,
                RunRpc.START,
                RunRpc.START_MANY,
                RunRpc.LIST,
                RunRpc.POLL));
    withRunId.removeAll(OF_A_TASK);
    withRunId.removeAll(BY_TOKEN);
    var digits = runId.substring("run_".length());
    return withRunId.stream()
        .flatMap(
            rpc ->
                Stream.of(
                        "step_" + digits,
                        "RUN_" + digits,
                        digits,
                        "run_",
                        "run_" + digits.substring(1),
                        "run_" + digits + "0",
                        "run_8" + digits.substring(1),
                        "run_" + "u".repeat(26),
                        "run_01k00000000000000000000000",
                        "' OR 1=1 --")
                    .map(id -> notFound(rpc, id, with(new Place(rpc, "run_id"), id))));
  }

  private DynamicTest notFound(RunRpc rpc, String what, byte[] request) {
    return dynamicTest(
        "X4: %s: there is no run %s".formatted(rpc, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.raw().call(caller.caller(), request));
          assertThat(refusal.code()).isEqualTo(Code.NOT_FOUND);
          assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_RUN_NOT_FOUND);
        });
  }

  @TestFactory
  Stream<DynamicTest> anotherWorkspace() {
    var theirs = RunCaller.to(deployment.target());
    theirs.close();
    return Arrays.stream(RunRpc.values())
        .filter(rpc -> !OF_A_TASK.contains(rpc) && !BY_TOKEN.contains(rpc))
        .filter(rpc -> example(rpc).getDescriptorForType().findFieldByName("run_id") != null)
        .map(
            rpc ->
                notFound(
                    rpc,
                    "of another workspace",
                    with(new Place(rpc, "workspace"), theirs.workspace())));
  }

  @TestFactory
  Stream<DynamicTest> claimsOfNothing() {
    var bytes = claim.getId().substring("task_".length());
    return OF_A_TASK.stream()
        .flatMap(
            rpc ->
                Stream.of(
                        claim("op_" + bytes, 1),
                        claim("task_", 1),
                        claim("task_!", 1),
                        claim("task_" + bytes + bytes, 1),
                        claim("task_" + "A".repeat(bytes.length()), 1),
                        claim("task_" + "_".repeat(bytes.length()), Long.MAX_VALUE),
                        claim(runId, 1),
                        claim("' OR 1=1 --", Long.MIN_VALUE))
                    .map(bad -> lost(rpc, bad.getId(), withClaim(example(rpc), bad))));
  }

  @TestFactory
  Stream<DynamicTest> claimsOfAnotherWorkspace() {
    var theirs = RunCaller.to(deployment.target());
    theirs.close();
    return OF_A_TASK.stream()
        .map(
            rpc ->
                lost(
                    rpc,
                    "a claim of another workspace",
                    Edit.set(example(rpc), "workspace", theirs.workspace())));
  }

  private static Claim claim(String id, long fence) {
    return Claim.newBuilder().setId(id).setFence(fence).build();
  }

  private static Message.Builder withClaim(Message.Builder request, Claim claim) {
    return Edit.set(
        request, request instanceof HeartbeatTasksRequest.Builder ? "claims" : "claim", claim);
  }

  /** The error has the reason, and no internals. */
  private DynamicTest lost(RunRpc rpc, String what, Message.Builder request) {
    return dynamicTest(
        "X4: %s: %s is lost".formatted(rpc, what),
        () -> {
          var answer = rpc.raw().call(caller.caller(), request.build().toByteArray());
          var outcome = answer instanceof HeartbeatTasksResponse beat ? beat.getResults(0) : answer;
          var lost = outcome.getDescriptorForType().findFieldByName("claim_lost");
          assertThat(outcome.hasField(lost)).as(outcome.toString()).isTrue();
          var workspace = request.getDescriptorForType().findFieldByName("workspace");
          assertThat(outcome.getField(lost))
              .isEqualTo(
                  ClaimLost.newBuilder()
                      .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
                      .setWorkspace((String) request.getField(workspace))
                      .build());
        });
  }

  @Test
  @DisplayName("given an invalid definition, then the error lists all violations [X4]")
  void allAtOnce() {
    var request =
        Edit.set(
            Edit.set(example(RunRpc.REGISTER), "version", ""),
            "steps[0].task.lease",
            duration(-1, 0));
    var refusal =
        Refusal.of(
            () -> RunRpc.REGISTER.raw().call(caller.caller(), request.build().toByteArray()));
    assertThat(refusal.fields()).containsExactly("version", "steps[0].task.lease");
  }

  @Test
  @DisplayName("as many as are allowed are taken [X4]")
  void most() {
    PollTasksRequest.Builder poll =
        caller.polling("w").setMaxTasks(500).setWait(Caller.millis(0)).clearQueues();
    IntStream.range(0, 100).forEach(i -> poll.addQueues("queue-" + i));
    assertThat(caller.poll(poll)).isEmpty();
    var beat =
        HeartbeatTasksRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addAllClaims(Collections.nCopies(500, claim("task_", 1)))
            .build();
    assertThat(caller.worker().heartbeatTasks(beat).getResultsCount()).isEqualTo(500);
  }
}
