package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ListOperationsRequest;
import io.grpc.Status.Code;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
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

  @TestFactory
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(Rpc.values()).map(rpc -> refused(rpc, "workspace", "= <A>", "A"));
  }

  @TestFactory
  Stream<DynamicTest> encodings() {
    return Arrays.stream(Rpc.values())
        .map(
            rpc ->
                refused(
                    rpc,
                    "workspace",
                    "with the byte FF",
                    Edit.withBytes(Edit.set(example(rpc), "workspace", "@@@").build(), 0xff),
                    ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE));
  }

  @TestFactory
  Stream<DynamicTest> claims() {
    return Stream.of(Rpc.COMPLETE, Rpc.FAIL, Rpc.RENEW)
        .map(
            rpc ->
                refused(
                    rpc,
                    "claim.id",
                    "is missing",
                    Edit.clear(example(rpc), "claim.id").build().toByteArray()));
  }

  @TestFactory
  Stream<DynamicTest> meaning() {
    var nameless = example(Rpc.BEGIN);
    return Stream.of(
        refused(
            Rpc.BEGIN,
            "operation",
            "is missing with a request_id",
            Edit.clear(nameless, "operation").build().toByteArray()),
        refused(
            Rpc.FAIL,
            "failure",
            "is missing for FINAL",
            Edit.clear(example(Rpc.FAIL), "failure").build().toByteArray()));
  }

  @TestFactory
  Stream<DynamicTest> pageTokens() {
    return Stream.of(
            "x",
            "!!!!",
            "x".repeat(300),
            "A".repeat(31),
            "A".repeat(33),
            token(-1),
            token(Long.MIN_VALUE))
        .map(bad -> refused(Rpc.LIST, "page_token", "= <" + bad + ">", bad));
  }

  private static String token(long micros) {
    var bytes = ByteBuffer.allocate(24).putLong(micros).putLong(1).putLong(2).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
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
