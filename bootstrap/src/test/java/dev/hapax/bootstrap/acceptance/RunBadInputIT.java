package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.StepDefinition;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  private static final int PAYLOAD = 262_144;
  private static final int MIB = 1 << 20;
  private static final Set<RunRpc> OF_A_TASK =
      EnumSet.of(
          RunRpc.COMPLETE,
          RunRpc.FAIL,
          RunRpc.SUSPEND,
          RunRpc.RELEASE,
          RunRpc.HEARTBEAT,
          RunRpc.RECORD,
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
  private record Place(RunRpc rpc, String path) {
    /** As it is named where the message as a whole cannot be read. */
    String unread() {
      return path.replace("[0]", "");
    }
  }

  private Message.Builder example(RunRpc rpc) {
    return rpc.example(caller, runId, claim);
  }

  private DynamicTest refused(Place place, String what, Object value) {
    return refused(place.rpc, place.path, what, with(place, value));
  }

  private byte[] with(Place place, Object value) {
    var request = example(place.rpc);
    if (place.path.startsWith("steps[0].code.")) {
      // the example's step is of another kind
      Edit.set(request, "steps[0].code.queue", RunCaller.QUEUE);
    }
    if (place.path.equals("steps[0].signal.timeout")) {
      Edit.set(request, "steps[0].signal.type", "type");
    }
    if (place.path.startsWith("hooks[0].")) {
      Edit.set(request, "hooks[0].token", "token");
    }
    return Edit.set(request, place.path, value).build().toByteArray();
  }

  private DynamicTest refused(RunRpc rpc, String field, String what, byte[] request) {
    return refused(rpc, field, what, request, ErrorReason.ERROR_REASON_INVALID_FIELD);
  }

  private DynamicTest refused(
      RunRpc rpc, String field, String what, byte[] request, ErrorReason reason) {
    return dynamicTest(
        "X4: %s: %s %s".formatted(rpc, field, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.raw().call(caller.caller(), request));
          assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
          assertThat(refusal.reason()).isEqualTo(reason);
          assertThat(refusal.fields()).containsExactly(field);
          assertThat(refusal.message()).startsWith(field + " ");
        });
  }

  /** All fields that hold text. */
  private Stream<Place> everyText() {
    return Arrays.stream(RunRpc.values())
        .flatMap(
            rpc ->
                Edit.texts(example(rpc).getDescriptorForType()).stream()
                    .map(path -> new Place(rpc, path)));
  }

  /** Those of which each is a name. */
  private Stream<Place> everyName() {
    var others = Set.of("workspace", "page_token", "message", "json");
    return everyText()
        .filter(text -> !others.contains(text.path.substring(text.path.lastIndexOf('.') + 1)))
        // each has an outcome of its own
        .filter(text -> text.rpc != RunRpc.START_MANY);
  }

  private static Map<String, String> badNames() {
    var names = new LinkedHashMap<String, String>();
    names.put("of 256 characters", "x".repeat(256));
    names.put("of 256 emoji", "\ud83d\ude00".repeat(256));
    names.put("of 300,000 characters", "x".repeat(300_000));
    names.put("with U+0000", "a\0b");
    names.put("with a line feed", "a\n");
    names.put("with U+007F", "a\u007f");
    names.put("with U+0085", "\u0085b");
    return names;
  }

  @TestFactory
  Stream<DynamicTest> names() {
    var bad = badNames();
    return everyName()
        .flatMap(
            place -> bad.entrySet().stream().map(b -> refused(place, b.getKey(), b.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> encodings() {
    return everyText()
        .flatMap(
            text ->
                Stream.of(
                    unreadable(text, "with the byte FF", 0xff),
                    unreadable(text, "with a surrogate", 0xed, 0xa0, 0x80),
                    unreadable(text, "cut in a sequence", 'a', 'a', 0xc3)));
  }

  private DynamicTest unreadable(Place text, String what, int... bytes) {
    var request = Edit.withBytes(Edit.set(example(text.rpc), text.path, "@@@").build(), bytes);
    return refused(
        text.rpc, text.unread(), what, request, ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
  }

  @TestFactory
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(RunRpc.values())
        .flatMap(
            rpc ->
                Stream.of("A", "1a", "-a", "a_b", "a\0", "\u00e4", "a".repeat(64), " a", "a\n")
                    .map(bad -> refused(new Place(rpc, "workspace"), "= <" + bad + ">", bad)));
  }

  @TestFactory
  Stream<DynamicTest> requiredFields() {
    return Stream.of(
            new Place(RunRpc.REGISTER, "name"),
            new Place(RunRpc.REGISTER, "version"),
            new Place(RunRpc.REGISTER, "steps"),
            new Place(RunRpc.REGISTER, "steps[0].name"),
            new Place(RunRpc.REGISTER, "steps[0].task.queue"),
            new Place(RunRpc.GET_DEFINITION, "name"),
            new Place(RunRpc.START, "definition"),
            new Place(RunRpc.START_MANY, "requests"),
            new Place(RunRpc.SIGNAL, "run_id"),
            new Place(RunRpc.SIGNAL, "signal"),
            new Place(RunRpc.GET, "run_id"),
            new Place(RunRpc.EVENTS, "run_id"),
            new Place(RunRpc.STEPS, "run_id"),
            new Place(RunRpc.EXPLAIN, "run_id"),
            new Place(RunRpc.WATCH, "run_id"),
            new Place(RunRpc.CANCEL, "run_id"),
            new Place(RunRpc.PAUSE, "run_id"),
            new Place(RunRpc.RESUME, "run_id"),
            new Place(RunRpc.RETRY, "run_id"),
            new Place(RunRpc.POLL, "queues"),
            new Place(RunRpc.POLL, "worker_id"),
            new Place(RunRpc.COMPLETE, "claim.id"),
            new Place(RunRpc.FAIL, "claim.id"),
            new Place(RunRpc.FAIL, "failure"),
            new Place(RunRpc.SUSPEND, "claim.id"),
            new Place(RunRpc.RELEASE, "claim.id"),
            new Place(RunRpc.HEARTBEAT, "claims"),
            new Place(RunRpc.HEARTBEAT, "claims[0].id"),
            new Place(RunRpc.RECORD, "claim.id"),
            new Place(RunRpc.RECORD, "name"),
            new Place(RunRpc.CREATE_HOOK, "run_id"),
            new Place(RunRpc.CREATE_HOOK, "claim.id"),
            new Place(RunRpc.CREATE_HOOK, "token"),
            new Place(RunRpc.SIGNAL_HOOK, "token"),
            new Place(RunRpc.SIGNAL_HOOK, "signal"),
            new Place(RunRpc.GET_HOOK, "token"),
            new Place(RunRpc.DISPOSE_HOOK, "token"))
        .map(
            place -> {
              var request = Edit.clear(example(place.rpc), place.path).build().toByteArray();
              return refused(place.rpc, place.path, "is missing", request);
            });
  }

  @TestFactory
  Stream<DynamicTest> choices() {
    return Stream.of(
        without(new Place(RunRpc.AWAIT, "run_id"), "target"),
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
        without(new Place(RunRpc.REGISTER, "steps[0].task"), "steps[0].kind"),
        refused(
            RunRpc.REGISTER,
            "steps[0].timer.time",
            "is missing",
            Edit.clear(
                    Edit.set(
                        example(RunRpc.REGISTER), "steps[0].timer.duration", Caller.seconds(1)),
                    "steps[0].timer.duration")
                .build()
                .toByteArray()));
  }

  private DynamicTest without(Place place, String field) {
    var request = Edit.clear(example(place.rpc), place.path).build().toByteArray();
    return refused(place.rpc, field, "has no value", request);
  }

  @TestFactory
  Stream<DynamicTest> durations() {
    var tests = new ArrayList<DynamicTest>();
    for (var place :
        List.of(
            new Place(RunRpc.REGISTER, "steps[0].task.lease"),
            new Place(RunRpc.REGISTER, "steps[0].code.lease"),
            new Place(RunRpc.REGISTER, "steps[0].task.retry.initial"),
            new Place(RunRpc.REGISTER, "steps[0].task.retry.max"),
            new Place(RunRpc.REGISTER, "steps[0].timer.duration"),
            new Place(RunRpc.REGISTER, "steps[0].signal.timeout"),
            new Place(RunRpc.START, "key_retention"),
            new Place(RunRpc.AWAIT, "wait"),
            new Place(RunRpc.POLL, "wait"),
            new Place(RunRpc.FAIL, "retry_after"),
            new Place(RunRpc.SUSPEND, "duration"),
            new Place(RunRpc.RELEASE, "delay"),
            new Place(RunRpc.HEARTBEAT, "lease"),
            new Place(RunRpc.CREATE_HOOK, "retention"))) {
      for (var bad :
          List.of(
              duration(-1, 0),
              duration(0, -1),
              duration(1, -1),
              duration(-1, 1),
              duration(1, 1_000_000_000),
              duration(1, Integer.MIN_VALUE),
              duration(Long.MAX_VALUE, 0),
              duration(Long.MIN_VALUE, 0),
              duration(315_576_000_001L, 0),
              duration(365 * 86_400, 1))) {
        tests.add(refusedTime(place, bad));
      }
      if (!Set.of("wait", "retention", "delay").contains(place.path)) {
        tests.add(refusedTime(place, duration(0, 0)));
      }
    }
    tests.add(refusedTime(new Place(RunRpc.HEARTBEAT, "lease"), duration(0, 99_999_999)));
    tests.add(refusedTime(new Place(RunRpc.HEARTBEAT, "lease"), duration(86_400, 1)));
    tests.add(refusedTime(new Place(RunRpc.REGISTER, "steps[0].task.lease"), duration(86_400, 1)));
    tests.add(refusedTime(new Place(RunRpc.RELEASE, "delay"), duration(3_600, 1)));
    tests.add(refusedTime(new Place(RunRpc.POLL, "wait"), duration(30, 1)));
    tests.add(refusedTime(new Place(RunRpc.AWAIT, "wait"), duration(30, 1)));
    return tests.stream();
  }

  private DynamicTest refusedTime(Place place, Duration bad) {
    return refused(
        place, String.format(Locale.ROOT, "= %d s %d ns", bad.getSeconds(), bad.getNanos()), bad);
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> timestamps() {
    return Stream.of(
            new Place(RunRpc.LIST, "created_after"),
            new Place(RunRpc.LIST, "created_before"),
            new Place(RunRpc.LIST, "ended_after"),
            new Place(RunRpc.LIST, "ended_before"),
            new Place(RunRpc.START, "start_at"),
            new Place(RunRpc.SUSPEND, "until"),
            new Place(RunRpc.REGISTER, "steps[0].timer.until"))
        .flatMap(
            place ->
                Stream.of(
                        timestamp(Long.MIN_VALUE, 0),
                        timestamp(Long.MAX_VALUE, 0),
                        timestamp(253_402_300_800L, 0),
                        timestamp(-62_135_596_801L, 0),
                        timestamp(0, -1),
                        timestamp(0, 1_000_000_000))
                    .map(
                        bad ->
                            refused(
                                place,
                                String.format(
                                    Locale.ROOT, "= %d s %d ns", bad.getSeconds(), bad.getNanos()),
                                bad)));
  }

  private static Timestamp timestamp(long seconds, int nanos) {
    return Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> enums() {
    return Stream.of(
            new Place(RunRpc.START, "on_key_mismatch"),
            new Place(RunRpc.LIST, "statuses[0]"),
            new Place(RunRpc.LIST, "view"),
            new Place(RunRpc.FAIL, "kind"),
            new Place(RunRpc.CREATE_HOOK, "on_conflict"))
        .flatMap(
            place ->
                Stream.of(99, -1, Integer.MAX_VALUE, Integer.MIN_VALUE)
                    .map(bad -> refused(place, "= " + bad, unknown(place, bad))));
  }

  private Object unknown(Place place, int number) {
    return example(place.rpc)
        .getDescriptorForType()
        .findFieldByName(place.unread())
        .getEnumType()
        .findValueByNumberCreatingIfUnknown(number);
  }

  @TestFactory
  Stream<DynamicTest> numbers() {
    var statuses = new Place(RunRpc.LIST, "statuses[0]");
    return Stream.of(
        refused(statuses, "= 0", unknown(statuses, 0)),
        refused(new Place(RunRpc.LIST, "definitions[0]"), "is empty", ""),
        refused(new Place(RunRpc.REGISTER, "steps[0].task.retry.max_attempts"), "= -1", -1),
        refused(new Place(RunRpc.REGISTER, "steps[0].task.retry.max_attempts"), "= 21", 21),
        refused(new Place(RunRpc.REGISTER, "steps[0].task.retry.factor"), "= NaN", Double.NaN),
        refused(new Place(RunRpc.REGISTER, "steps[0].task.retry.factor"), "= 0.5", 0.5),
        refused(
            new Place(RunRpc.REGISTER, "steps[0].task.retry.factor"),
            "= infinity",
            Double.POSITIVE_INFINITY),
        refused(new Place(RunRpc.POLL, "max_tasks"), "= -1", -1),
        refused(new Place(RunRpc.POLL, "max_tasks"), "= 501", 501),
        refused(new Place(RunRpc.EVENTS, "after_version"), "= -1", -1L),
        refused(new Place(RunRpc.AWAIT, "after_version"), "= -1", -1L),
        refused(new Place(RunRpc.WATCH, "after_version"), "= -1", -1L),
        refused(new Place(RunRpc.CANCEL, "expected_version"), "= -1", -1L),
        refused(new Place(RunRpc.PAUSE, "expected_version"), "= -1", -1L),
        refused(new Place(RunRpc.RESUME, "expected_version"), "= -1", -1L),
        refused(new Place(RunRpc.RETRY, "expected_version"), "= MIN", Long.MIN_VALUE));
  }

  @TestFactory
  Stream<DynamicTest> pages() {
    return Stream.of(RunRpc.LIST_DEFINITIONS, RunRpc.LIST, RunRpc.EVENTS, RunRpc.STEPS)
        .flatMap(
            rpc ->
                Stream.concat(
                    Stream.of(-1, Integer.MIN_VALUE)
                        .map(bad -> refused(new Place(rpc, "page_size"), "= " + bad, bad)),
                    Stream.of("x", "!!!!", "\0", "x".repeat(300), "A".repeat(31), "_".repeat(11))
                        .map(
                            bad -> refused(new Place(rpc, "page_token"), "= <" + bad + ">", bad))));
  }

  @TestFactory
  Stream<DynamicTest> payloads() {
    var bad = new LinkedHashMap<String, String>();
    for (var text : List.of("", "{", "[1,]", "{a:1}", "nul", "NaN", "01", "1 2", "\"\\x\"")) {
      bad.put("= <" + text + ">", text);
    }
    bad.put("65 deep", "[".repeat(65) + "]".repeat(65));
    bad.put("65 deep in objects", "{\"a\":".repeat(65) + "1" + "}".repeat(65));
    bad.put("20,000 deep", "[".repeat(20_000) + "]".repeat(20_000));
    bad.put("of 262,145 bytes", "\"" + "x".repeat(PAYLOAD - 1) + "\"");
    var places =
        List.of(
            new Place(RunRpc.START, "input"),
            new Place(RunRpc.SIGNAL, "signal.payload"),
            new Place(RunRpc.COMPLETE, "output"),
            new Place(RunRpc.COMPLETE, "state_patch"),
            new Place(RunRpc.FAIL, "failure.details"),
            new Place(RunRpc.SUSPEND, "state_patch"),
            new Place(RunRpc.RECORD, "output"),
            new Place(RunRpc.SIGNAL_HOOK, "signal.payload"));
    var tests = new ArrayList<DynamicTest>();
    for (var place : places) {
      var json = new Place(place.rpc, place.path + ".json");
      bad.forEach((what, text) -> tests.add(refused(json, what, text)));
      var isPatch = place.path.equals("state_patch");
      var binary = new Place(place.rpc, place.path + ".binary");
      tests.add(
          refused(
              place.rpc,
              isPatch ? place.path : binary.path,
              "of 262,145 bytes",
              with(binary, ByteString.copyFrom(new byte[PAYLOAD + 1]))));
    }
    tests.add(refused(new Place(RunRpc.COMPLETE, "state_patch.json"), "= []", "[]"));
    tests.add(
        refused(
            new Place(RunRpc.COMPLETE, "state_patch.json"),
            "with half a character",
            "{\"a\":\"\\ud83d\"}"));
    tests.add(refused(new Place(RunRpc.FAIL, "failure.message"), "with U+0000", "a\0"));
    tests.add(refused(new Place(RunRpc.FAIL, "failure.message"), "too long", "x".repeat(4097)));
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> lists() {
    var claims = HeartbeatTasksRequest.newBuilder().setWorkspace(caller.workspace());
    var starts = StartRunsRequest.newBuilder().setWorkspace(caller.workspace());
    for (var i = 0; i < 10_000; i++) {
      claims.addClaims(claim);
      starts.addRequests(StartRunRequest.newBuilder().setDefinition(RunRpc.DEFINITION));
    }
    var queues =
        caller.polling("worker").addAllQueues(Collections.nCopies(10_000, RunCaller.QUEUE));
    var steps =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setName("long")
            .setVersion("1")
            .addAllSteps(
                IntStream.range(0, 10_000).mapToObj(i -> RunCaller.task("step-" + i)).toList());
    var signals = IntStream.range(0, 10_000).mapToObj(i -> "signal-" + i).toList();
    var codes =
        RunCaller.work(Caller.seconds(1))
            .setRetry(
                dev.hapax.v1.RetryPolicy.newBuilder()
                    .addAllNonRetryable(Collections.nCopies(10_000, "CODE")));
    var start = caller.start(RunRpc.DEFINITION);
    IntStream.range(0, 10_000).forEach(i -> start.putLabels("label-" + i, "x"));
    return Stream.of(
        list(RunRpc.HEARTBEAT, "claims", claims),
        list(RunRpc.START_MANY, "requests", starts),
        list(RunRpc.POLL, "queues", queues),
        list(RunRpc.REGISTER, "steps", steps),
        list(
            RunRpc.REGISTER,
            "steps[0].task.retry.non_retryable",
            Edit.set(example(RunRpc.REGISTER), "steps[0].task", codes.build())),
        list(RunRpc.START, "labels", start),
        list(
            RunRpc.LIST,
            "statuses",
            list().addAllStatuses(Collections.nCopies(10_000, RunStatus.RUN_STATUS_FAILED))),
        list(
            RunRpc.LIST,
            "definitions",
            list().addAllDefinitions(Collections.nCopies(10_000, RunRpc.DEFINITION))),
        list(RunRpc.LIST, "labels", list().putAllLabels(start.getLabelsMap())),
        list(
            RunRpc.COMPLETE,
            "consumed_signal_ids",
            caller.completion(claim).addAllConsumedSignalIds(signals)),
        list(
            RunRpc.RECORD,
            "consumed_signal_ids",
            dev.hapax.v1.RecordStepRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .setClaim(claim)
                .setName("named")
                .setOutput(Caller.json("1"))
                .addAllConsumedSignalIds(signals)));
  }

  private ListRunsRequest.Builder list() {
    return ListRunsRequest.newBuilder().setWorkspace(caller.workspace());
  }

  private DynamicTest list(RunRpc rpc, String field, Message.Builder request) {
    return refused(rpc, field, "of 10,000", request.build().toByteArray());
  }

  @TestFactory
  Stream<DynamicTest> labels() {
    return Stream.of(
        refused(
            RunRpc.START,
            "labels",
            "with an empty name",
            caller.start(RunRpc.DEFINITION).putLabels("", "x").build().toByteArray()),
        refused(
            RunRpc.START,
            "labels",
            "with U+0000",
            caller.start(RunRpc.DEFINITION).putLabels("a", "\0").build().toByteArray()),
        refused(
            RunRpc.START,
            "labels",
            "of 256 characters",
            caller.start(RunRpc.DEFINITION).putLabels("x".repeat(256), "").build().toByteArray()));
  }

  @Test
  @DisplayName("given many starts with an invalid one, then only that one is rejected [X4]")
  void startMany() {
    var starts = StartRunsRequest.newBuilder().setWorkspace(caller.workspace());
    badNames().values().forEach(bad -> starts.addRequests(caller.start(bad)));
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

  @TestFactory
  Stream<DynamicTest> tooLarge() {
    var unreadable = ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE;
    return Arrays.stream(RunRpc.values())
        .flatMap(
            rpc ->
                Stream.of(
                    refused(
                        rpc,
                        "workspace",
                        "of 1 MiB",
                        with(new Place(rpc, "workspace"), "x".repeat(MIB)),
                        unreadable),
                    refused(
                        rpc,
                        "request",
                        "with 1 MiB of an unknown field",
                        example(rpc).setUnknownFields(unknownField()).build().toByteArray(),
                        unreadable)));
  }

  private static UnknownFieldSet unknownField() {
    var field =
        UnknownFieldSet.Field.newBuilder()
            .addLengthDelimited(ByteString.copyFrom(new byte[MIB]))
            .build();
    return UnknownFieldSet.newBuilder().addField(9_999, field).build();
  }

  @Test
  @DisplayName(
      "no rpc of runs takes more than one message, one too large, or one it inflates " + "[X4]")
  void transport() {
    for (var rpc : RunRpc.values()) {
      var request = example(rpc).build().toByteArray();
      for (var requests :
          List.of(List.<byte[]>of(), List.of(request, request), List.of(new byte[] {0}, request))) {
        assertUnreadable(
            Refusal.of(() -> rpc.raw().callWith(caller.caller(), requests)), "request");
      }
      var large = with(new Place(rpc, "workspace"), "x".repeat(5 * MIB));
      assertThat(Refusal.of(() -> rpc.raw().call(caller.caller(), large)).code())
          .isEqualTo(Code.RESOURCE_EXHAUSTED);
      assertUnreadable(
          Refusal.of(() -> rpc.raw().callCompressed(caller.caller(), large)), "request");
    }
  }

  private static void assertUnreadable(Refusal refusal, String field) {
    assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
    assertThat(refusal.fields()).containsExactly(field);
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
