package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.OperationState;
import io.grpc.Status.Code;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // other tests would add rows to the shared server
class BadInputIT {
  private static final String EMOJI = "\ud83d\ude00";
  private static final int PAYLOAD = 262_144;
  private static final int MIB = 1 << 20;
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final Claim claim = caller.acquire("key");
  private final String begun = deployment.now();
  private final String before = stored();

  /** All that is stored of this workspace. */
  private String stored() {
    return deployment
        .database()
        .query(
            "SELECT coalesce(string_agg(o::text, ' '), '') FROM hapax.operation o"
                + " WHERE workspace = '%s'".formatted(caller.workspace()));
  }

  @BeforeEach
  void logIsClean() {
    assertThat(deployment.complaints()).isEmpty();
  }

  @AfterEach
  void nothingHappened() {
    assertThat(deployment.rowsSince(begun)).isZero();
    assertThat(stored()).isEqualTo(before);
    assertThat(deployment.complaints()).isEmpty();
    caller.close();
  }

  private Message.Builder example(Rpc rpc) {
    return rpc.example(caller, "key", claim);
  }

  private DynamicTest refused(Rpc rpc, String field, String what, Object value) {
    return refused(rpc, field, what, Edit.set(example(rpc), field, value).build().toByteArray());
  }

  private DynamicTest refused(Rpc rpc, String field, String what, byte[] request) {
    return refused(rpc, field, what, request, ErrorReason.ERROR_REASON_INVALID_FIELD);
  }

  private DynamicTest refused(
      Rpc rpc, String field, String what, byte[] request, ErrorReason reason) {
    return dynamicTest(
        "X4: %s: %s %s".formatted(rpc, field, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.call(caller, request));
          assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
          assertThat(refusal.reason()).isEqualTo(reason);
          assertThat(refusal.fields()).containsExactly(field);
          assertThat(refusal.message()).startsWith(field + " ");
        });
  }

  private static final Map<String, String> BAD_NAMES = badNames();

  private static Map<String, String> badNames() {
    var names = new LinkedHashMap<String, String>();
    names.put("of 256 characters", "x".repeat(256));
    names.put("of 256 emoji", EMOJI.repeat(256));
    names.put("of 300,000 characters", "x".repeat(300_000));
    names.put("with U+0000", "a\0b");
    names.put("with U+0001", "\u0001");
    names.put("with a line feed", "a\n");
    names.put("with U+007F", "a\u007f");
    names.put("with U+0085", "\u0085b");
    return names;
  }

  @TestFactory
  Stream<DynamicTest> names() {
    return everyText(List.of("workspace", "page_token", "message", "json"))
        .flatMap(
            text ->
                BAD_NAMES.entrySet().stream()
                    .map(bad -> refused(text.rpc, text.path, bad.getKey(), bad.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(Rpc.values())
        .flatMap(
            rpc ->
                Stream.of(
                        "A", "1a", "-a", "a_b", "a.b", "a\0", "\u00e4", "a".repeat(64), " a", "a\n")
                    .map(bad -> refused(rpc, "workspace", "= <" + bad + ">", bad)));
  }

  @TestFactory
  Stream<DynamicTest> encodings() {
    return everyText(List.of())
        .flatMap(
            text ->
                Stream.of(
                    unreadable(text, "with the byte FF", 0xff),
                    unreadable(text, "with a surrogate", 0xed, 0xa0, 0x80),
                    unreadable(text, "with a sequence too long", 0xc0, 0x80),
                    unreadable(text, "cut in a sequence", 'a', 'a', 0xc3)));
  }

  private DynamicTest unreadable(Place text, String what, int... bytes) {
    var request = Edit.withBytes(Edit.set(example(text.rpc), text.path, "@@@").build(), bytes);
    return refused(
        text.rpc, text.unread(), what, request, ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
  }

  /** A field of a request. */
  private record Place(Rpc rpc, String path) {
    /** As it is named where the message as a whole cannot be read. */
    String unread() {
      return path.replace("[0]", "");
    }
  }

  /** All fields of all requests that hold text, but those with another rule. */
  private Stream<Place> everyText(List<String> but) {
    return Arrays.stream(Rpc.values())
        .flatMap(
            rpc ->
                Edit.texts(example(rpc).getDescriptorForType()).stream()
                    .filter(path -> !but.contains(path.substring(path.lastIndexOf('.') + 1)))
                    .map(path -> new Place(rpc, path)));
  }

  @TestFactory
  Stream<DynamicTest> requiredFields() {
    return Stream.of(
            new Place(Rpc.BEGIN, "operation"),
            new Place(Rpc.COMPLETE, "claim.id"),
            new Place(Rpc.FAIL, "claim.id"),
            new Place(Rpc.RENEW, "claim.id"),
            new Place(Rpc.FAIL, "failure"),
            new Place(Rpc.GET, "operation"),
            new Place(Rpc.GET, "request_id"),
            new Place(Rpc.RESOLVE, "key.operation"),
            new Place(Rpc.RESOLVE, "key.request_id"),
            new Place(Rpc.RESOLVE, "request_id"),
            new Place(Rpc.RESOLVE, "reason"))
        .map(
            place -> {
              var request = Edit.clear(example(place.rpc), place.path).build().toByteArray();
              return refused(place.rpc, place.path, "is missing", request);
            });
  }

  @TestFactory
  Stream<DynamicTest> unset() {
    return Stream.of(
        refused(
            Rpc.RESOLVE,
            "resolution",
            "is missing",
            caller.resolution("key").build().toByteArray()),
        refused(
            Rpc.RESOLVE,
            "key.operation",
            "is missing with its key",
            Edit.clear(example(Rpc.RESOLVE), "key").build().toByteArray()),
        refused(
            Rpc.COMPLETE,
            "result",
            "has no content",
            Edit.clear(example(Rpc.COMPLETE), "result.json").build().toByteArray()));
  }

  @TestFactory
  Stream<DynamicTest> durations() {
    var tests = new ArrayList<DynamicTest>();
    for (var place :
        List.of(
            new Place(Rpc.BEGIN, "lease"),
            new Place(Rpc.BEGIN, "ttl"),
            new Place(Rpc.BEGIN, "wait"),
            new Place(Rpc.RENEW, "lease"))) {
      for (var bad :
          List.of(
              duration(-1, 0),
              duration(0, -1),
              duration(1, -1),
              duration(-1, 1),
              duration(1, 1_000_000_000),
              duration(1, Integer.MAX_VALUE),
              duration(1, Integer.MIN_VALUE),
              duration(Long.MAX_VALUE, 0),
              duration(Long.MIN_VALUE, 0),
              duration(315_576_000_001L, 0),
              duration(30 * 86_400, 1))) {
        tests.add(
            refused(
                place.rpc,
                place.path,
                String.format(Locale.ROOT, "= %d s %d ns", bad.getSeconds(), bad.getNanos()),
                bad));
      }
    }
    tests.add(refused(Rpc.BEGIN, "lease", "= 0", duration(0, 0)));
    tests.add(refused(Rpc.BEGIN, "ttl", "= 0", duration(0, 0)));
    tests.add(refused(Rpc.RENEW, "lease", "= 0", duration(0, 0)));
    tests.add(refused(Rpc.BEGIN, "lease", "< 100 ms", duration(0, 99_999_999)));
    tests.add(refused(Rpc.BEGIN, "lease", "> 24 h", duration(86_400, 1)));
    tests.add(refused(Rpc.BEGIN, "wait", "> 30 s", duration(30, 1)));
    return tests.stream();
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> timestamps() {
    return Stream.of("started_after", "started_before", "ended_after", "ended_before")
        .flatMap(
            field ->
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
                                Rpc.LIST,
                                field,
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
            new Place(Rpc.BEGIN, "on_stale"),
            new Place(Rpc.BEGIN, "on_released_mismatch"),
            new Place(Rpc.FAIL, "kind"),
            new Place(Rpc.LIST, "states[0]"),
            new Place(Rpc.LIST, "view"))
        .flatMap(
            place ->
                Stream.of(99, -1, Integer.MAX_VALUE, Integer.MIN_VALUE)
                    .map(
                        bad ->
                            refused(
                                place.rpc,
                                place.path,
                                "= " + bad,
                                withEnum(place.rpc, place.path, bad))));
  }

  private byte[] withEnum(Rpc rpc, String field, int number) {
    var message = example(rpc);
    var descriptor = message.getDescriptorForType().findFieldByName(field.replace("[0]", ""));
    return Edit.set(
            message, field, descriptor.getEnumType().findValueByNumberCreatingIfUnknown(number))
        .build()
        .toByteArray();
  }

  @TestFactory
  Stream<DynamicTest> pages() {
    var tests = new ArrayList<DynamicTest>();
    tests.add(refused(Rpc.LIST, "states[0]", "= 0", withEnum(Rpc.LIST, "states[0]", 0)));
    tests.add(refused(Rpc.LIST, "operations[0]", "is empty", ""));
    var names = caller.list().addAllOperations(Collections.nCopies(101, "name"));
    tests.add(refused(Rpc.LIST, "operations", "has 101", names.build().toByteArray()));
    var states =
        caller
            .list()
            .addAllStates(Collections.nCopies(101, OperationState.OPERATION_STATE_RELEASED));
    tests.add(refused(Rpc.LIST, "states", "has 101", states.build().toByteArray()));
    tests.add(refused(Rpc.LIST, "page_size", "= -1", -1));
    tests.add(refused(Rpc.LIST, "page_size", "= MIN", Integer.MIN_VALUE));
    for (var bad :
        List.of(
            "x",
            "!!!!",
            "\0",
            "x".repeat(300),
            "A".repeat(31),
            "A".repeat(33),
            token(-1),
            token(Long.MIN_VALUE))) {
      tests.add(refused(Rpc.LIST, "page_token", "= <" + bad + ">", bad));
    }
    return tests.stream();
  }

  private static String token(long micros) {
    var bytes = ByteBuffer.allocate(24).putLong(micros).putLong(1).putLong(2).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static final Map<Rpc, List<String>> PAYLOADS =
      Map.of(
          Rpc.COMPLETE, List.of("result"),
          Rpc.FAIL, List.of("failure.details"),
          Rpc.RESOLVE, List.of("complete.result", "reject.details"));

  @TestFactory
  Stream<DynamicTest> json() {
    var bad = new LinkedHashMap<String, String>();
    for (var text :
        List.of(
            "",
            " ",
            "{",
            "}",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "nul",
            "NaN",
            "Infinity",
            "01",
            "+1",
            "1.",
            ".5",
            "0x1",
            "1 2",
            "[1][2]",
            "\"a\nb\"",
            "\"a\0b\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"",
            "// x\n1",
            "/* x */1",
            "1,",
            "{\"a\"}",
            "{\"a\":}",
            "{1:2}",
            "\ufeff1",
            "\u00a01",
            "tru e",
            "[\"a\" \"b\"]",
            "-",
            "--1",
            "1e",
            "1e+",
            "True")) {
      bad.put("= <" + text + ">", text);
    }
    bad.put("65 deep", "[".repeat(65) + "]".repeat(65));
    bad.put("65 deep in objects", "{\"a\":".repeat(65) + "1" + "}".repeat(65));
    bad.put("20,000 deep", "[".repeat(20_000) + "]".repeat(20_000));
    bad.put("of 262,145 bytes", "\"" + "x".repeat(PAYLOAD - 1) + "\"");
    bad.put("of 262,146 bytes in fewer characters", "\"" + "\u00e9".repeat(PAYLOAD / 2) + "\"");
    return payloads()
        .flatMap(
            payload ->
                bad.entrySet().stream()
                    .map(
                        b ->
                            refused(
                                payload.rpc, payload.path + ".json", b.getKey(), b.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> binaries() {
    return payloads()
        .map(
            payload ->
                refused(
                    payload.rpc,
                    payload.path + ".binary",
                    "of 262,145 bytes",
                    ByteString.copyFrom(new byte[PAYLOAD + 1])));
  }

  private static Stream<Place> payloads() {
    return PAYLOADS.entrySet().stream()
        .flatMap(e -> e.getValue().stream().map(path -> new Place(e.getKey(), path)));
  }

  @TestFactory
  Stream<DynamicTest> others() {
    return Stream.of(
        refused(Rpc.BEGIN, "fingerprint", "of 1,025 bytes", ByteString.copyFrom(new byte[1025])),
        refused(Rpc.FAIL, "failure.message", "with U+0000", "a\0"),
        refused(Rpc.FAIL, "failure.message", "of 4,097 bytes", "x".repeat(4097)),
        refused(Rpc.FAIL, "failure.message", "of 4,098 bytes", "\u00e9".repeat(2049)),
        refused(Rpc.RESOLVE, "reject.message", "of 4,097 bytes", "x".repeat(4097)));
  }

  @TestFactory
  Stream<DynamicTest> tooLarge() {
    var unreadable = ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE;
    var tests = new ArrayList<DynamicTest>();
    for (var rpc : Rpc.values()) {
      var request = Edit.set(example(rpc), "workspace", "x".repeat(MIB)).build().toByteArray();
      tests.add(refused(rpc, "workspace", "of 1 MiB", request, unreadable));
      var unknown = example(rpc).setUnknownFields(unknown(MIB)).build().toByteArray();
      tests.add(refused(rpc, "request", "with 1 MiB of an unknown field", unknown, unreadable));
    }
    return tests.stream();
  }

  private static UnknownFieldSet unknown(int bytes) {
    var field =
        UnknownFieldSet.Field.newBuilder()
            .addLengthDelimited(ByteString.copyFrom(new byte[bytes]))
            .build();
    return UnknownFieldSet.newBuilder().addField(9_999, field).build();
  }

  @Test
  @DisplayName(
      "a message beyond what the transport takes is refused, and the connection " + "lives [X4]")
  void farTooLarge() {
    for (var rpc : Rpc.values()) {
      var request = Edit.set(example(rpc), "workspace", "x".repeat(5 * MIB)).build();
      var refusal = Refusal.of(() -> rpc.call(caller, request.toByteArray()));
      assertThat(refusal.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
      assertThat(caller.get("key").getAttempt()).isOne();
    }
  }

  @Test
  @DisplayName("compressed requests are held to the same limits [X4]")
  void compressed() {
    for (var rpc : Rpc.values()) {
      assertUnreadable(
          Refusal.of(() -> rpc.callCompressed(caller, withWorkspace(rpc, MIB))), "workspace");
      assertUnreadable(
          Refusal.of(() -> rpc.callCompressed(caller, withWorkspace(rpc, 5 * MIB))), "request");
      var text = Edit.set(example(rpc), "workspace", "@@@").build();
      assertUnreadable(
          Refusal.of(() -> rpc.callCompressed(caller, Edit.withBytes(text, 0xff))), "workspace");
    }
  }

  private byte[] withWorkspace(Rpc rpc, int length) {
    return Edit.set(example(rpc), "workspace", "x".repeat(length)).build().toByteArray();
  }

  private static void assertUnreadable(Refusal refusal, String field) {
    assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
    assertThat(refusal.fields()).containsExactly(field);
  }

  @Test
  @DisplayName("a call without a request, or with two, is the caller's error [X4]")
  void notOneMessage() {
    for (var rpc : Rpc.values()) {
      var request = example(rpc).build().toByteArray();
      var bad = new byte[] {0};
      for (var requests :
          List.of(
              List.<byte[]>of(),
              List.of(request, request),
              List.of(bad, request),
              List.of(request, bad),
              List.of(bad, bad))) {
        assertUnreadable(Refusal.of(() -> rpc.callWith(caller, requests)), "request");
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> notMessages() {
    return Arrays.stream(Rpc.values())
        .flatMap(
            rpc ->
                Stream.of(
                        new byte[] {0},
                        new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff},
                        new byte[] {0x0a, 0x7f, 'a'},
                        new byte[] {0x0c},
                        new byte[] {0x0b, 0x0b, 0x0b},
                        new byte[] {0x0f},
                        new byte[] {0x0a, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f})
                    .map(
                        bytes ->
                            refused(
                                rpc,
                                "request",
                                "= " + Arrays.toString(bytes),
                                bytes,
                                ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE)));
  }

  @Test
  @DisplayName("a list told to begin at another workspace's page shows only its own [X4]")
  void foreignPageToken() {
    try (var stranger = deployment.caller()) {
      for (var i = 0; i < 3; i++) {
        stranger.acquire("foreign-" + i);
      }
      var foreign =
          stranger
              .calls()
              .listOperations(stranger.list().setPageSize(1).build())
              .getNextPageToken();
      assertThat(foreign).isNotEmpty();
      ListOperationsRequest.Builder request = caller.list().setPageToken(foreign);
      assertThat(caller.calls().listOperations(request.build()).getOperationsList())
          .allMatch(operation -> operation.getWorkspace().equals(caller.workspace()));
      deployment
          .database()
          .execute(
              "DELETE FROM hapax.operation WHERE workspace = '%s'".formatted(stranger.workspace()));
    }
  }
}
