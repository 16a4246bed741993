package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ListEntitiesRequest;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ClaimBadInputIT {
  private static final Set<ClaimRpc> OF_A_CLAIM =
      Set.of(ClaimRpc.RENEW, ClaimRpc.COMPLETE, ClaimRpc.FAIL, ClaimRpc.RECOVER);

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private Claim claim = Claim.getDefaultInstance();
  private String before = "";

  @BeforeEach
  void holdEntity() {
    var _ = caller.approved(ClaimRpc.ENTITY);
    claim = caller.claimed(ClaimRpc.ENTITY);
    before = stored();
    assertThat(deployment.complaints()).isEmpty();
  }

  /** All that is stored of this workspace, in whatever table. */
  private String stored() {
    var tables =
        deployment
            .database()
            .query(
                "SELECT string_agg(table_name, ' ' ORDER BY table_name)"
                    + " FROM information_schema.columns JOIN information_schema.tables"
                    + " USING (table_schema, table_name)"
                    + " WHERE table_schema = 'hapax' AND column_name = 'workspace'"
                    + " AND table_type = 'BASE TABLE'");
    assertThat(tables).contains("entity", "lifecycle", "janitor");
    return Arrays.stream(tables.split(" ", -1))
        .map(
            table ->
                deployment
                    .database()
                    .query(
                        "SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') FROM hapax.%s t WHERE workspace = '%s'"
                            .formatted(table, caller.workspace())))
        .toList()
        .toString();
  }

  @AfterEach
  void nothingHappened() {
    assertThat(stored()).isEqualTo(before);
    assertThat(deployment.complaints()).isEmpty();
    caller.close();
  }

  /** A field of a request. */
  private record Place(ClaimRpc rpc, String path) {
    /** As it is named where the message as a whole cannot be read. */
    String unread() {
      return path.replace("[0]", "");
    }

    String name() {
      return path.substring(path.lastIndexOf('.') + 1);
    }
  }

  private Message.Builder example(ClaimRpc rpc) {
    return rpc.example(caller, claim);
  }

  private DynamicTest refused(Place place, String what, Object value) {
    var request = Edit.set(example(place.rpc), place.path, value).build().toByteArray();
    return refused(place.rpc, place.path, what, request, ErrorReason.ERROR_REASON_INVALID_FIELD);
  }

  private DynamicTest refused(
      ClaimRpc rpc, String field, String what, byte[] request, ErrorReason reason) {
    return dynamicTest(
        "X4: %s: %s %s".formatted(rpc, field, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.raw().call(caller.runs().caller(), request));
          assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
          assertThat(refusal.reason()).isEqualTo(reason);
          assertThat(refusal.fields()).containsExactly(field);
          assertThat(refusal.message()).startsWith(field + " ");
        });
  }

  /** All fields that hold text. */
  private Stream<Place> everyText() {
    return Arrays.stream(ClaimRpc.values())
        .flatMap(
            rpc ->
                Edit.texts(example(rpc).getDescriptorForType()).stream()
                    .map(path -> new Place(rpc, path)));
  }

  private static Map<String, String> badNames() {
    var names = new LinkedHashMap<String, String>();
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
    var others = Set.of("workspace", "page_token", "message", "json", "lifecycles[0]", "id");
    return everyText()
        .filter(text -> !others.contains(text.name()))
        .flatMap(
            place ->
                Stream.concat(
                    Stream.of(refused(place, "of 256 characters", "x".repeat(256))),
                    badNames().entrySet().stream()
                        .map(bad -> refused(place, bad.getKey(), bad.getValue()))));
  }

  /** Not to be compressed, so that an index has to hold all of it. */
  private static String ofFourBytes(int characters) {
    return new Random(characters)
        .ints(characters, 0x20000, 0x2a6df)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @TestFactory
  Stream<DynamicTest> shortNames() {
    return Stream.of(
            new Place(ClaimRpc.GET_LIFECYCLE, "name"),
            new Place(ClaimRpc.CREATE, "lifecycle"),
            new Place(ClaimRpc.GET, "lifecycle"),
            new Place(ClaimRpc.EVENTS, "lifecycle"),
            new Place(ClaimRpc.BEGIN, "lifecycle"),
            new Place(ClaimRpc.RELEASE, "lifecycle"),
            new Place(ClaimRpc.DELETE, "lifecycle"))
        .flatMap(
            place ->
                Stream.of(
                    refused(place, "of 256 bytes", ofFourBytes(64)),
                    refused(place, "of 1,020 bytes", ofFourBytes(255))));
  }

  @TestFactory
  Stream<DynamicTest> shortStates() {
    return Stream.of(64, 255)
        .map(
            characters ->
                refused(
                    ClaimRpc.DECLARE,
                    "contract.claim_states[2]",
                    String.format(Locale.ROOT, "of %d bytes", 4 * characters),
                    caller
                        .declaration(ClaimCaller.contract().addClaimStates(ofFourBytes(characters)))
                        .toByteArray(),
                    ErrorReason.ERROR_REASON_INVALID_FIELD));
  }

  @Test
  @DisplayName("names of the most bytes there may be fit into every index there is [X4]")
  void longestNames() {
    var state = ofFourBytes(63) + "abc";
    var closed = ofFourBytes(63) + "xyz";
    var id = ofFourBytes(255);
    try (var other = ClaimCaller.empty(deployment.target())) {
      other.declare(ClaimCaller.contract().setModule(id).clearClaimStates().addClaimStates(state));
      var json =
          """
          { "lifecycle": "%1$s", "module": "%2$s", "status_types": ["approved", "%1$s", "%3$s"],
            "steps": [ { "step_key": "close", "status": "approved", "successful_state": "%3$s",
                "claim_state": ["%1$s", "approved"], "success_after_effect": "%2$s" } ] }
          """
              .formatted(state, id, closed);
      assertThat(other.apply(json).getAlready()).isFalse();
      var _ =
          other.entities().createEntity(other.creation(id, "approved").setLifecycle(state).build());
      var begin = other.begin(id).setLifecycle(state).setRequester("admin").setActor(id);
      var failing = other.granted(begin.setAttemptId(id)).getClaim();
      assertThat(other.fail(failing, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).hasFailed())
          .isTrue();
      var _ = other.granted(begin.setAttemptId("2"));
      var release = other.release(id, id).setLifecycle(state).setActor(id).setReason(id);
      assertThat(other.entities().releaseClaim(release.build()).getEntity().getStatus())
          .isEqualTo("approved");
      var ending = other.granted(begin.setAttemptId("3")).getClaim();
      assertThat(other.complete(ending).getCompleted().getEntity().getStatus()).isEqualTo(closed);
      var deletion = other.deletion(id, id).setLifecycle(state).setActor(id).setReason(id);
      assertThat(other.entities().deleteEntity(deletion.build()).getDeleted()).isTrue();
    }
  }

  @TestFactory
  Stream<DynamicTest> claims() {
    return OF_A_CLAIM.stream()
        .map(rpc -> new Place(rpc, "claim.id"))
        .flatMap(
            place ->
                badNames().entrySet().stream()
                    .filter(bad -> bad.getValue().length() != 512)
                    .map(bad -> refused(place, bad.getKey(), bad.getValue())));
  }

  @TestFactory
  Stream<DynamicTest> encodings() {
    return everyText()
        .flatMap(
            text ->
                Stream.of(
                    unreadable(text, "with the byte FF", 0xff),
                    unreadable(text, "with a surrogate", 0xed, 0xa0, 0x80)));
  }

  private DynamicTest unreadable(Place text, String what, int... bytes) {
    var request = Edit.withBytes(Edit.set(example(text.rpc), text.path, "@@@").build(), bytes);
    return refused(
        text.rpc, text.unread(), what, request, ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
  }

  @TestFactory
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(ClaimRpc.values())
        .flatMap(
            rpc ->
                Stream.of("A", "-a", "a_b", "a\0", "a".repeat(64), "a\n")
                    .map(bad -> refused(new Place(rpc, "workspace"), "= <" + bad + ">", bad)));
  }

  @TestFactory
  Stream<DynamicTest> requiredFields() {
    return Stream.of(
            new Place(ClaimRpc.APPLY, "janitors[0].module"),
            new Place(ClaimRpc.VALIDATE, "json"),
            new Place(ClaimRpc.GET_LIFECYCLE, "name"),
            new Place(ClaimRpc.CREATE, "lifecycle"),
            new Place(ClaimRpc.CREATE, "entity_id"),
            new Place(ClaimRpc.CREATE, "status"),
            new Place(ClaimRpc.GET, "lifecycle"),
            new Place(ClaimRpc.GET, "entity_id"),
            new Place(ClaimRpc.EVENTS, "lifecycle"),
            new Place(ClaimRpc.EVENTS, "entity_id"),
            new Place(ClaimRpc.BEGIN, "lifecycle"),
            new Place(ClaimRpc.BEGIN, "entity_id"),
            new Place(ClaimRpc.BEGIN, "step_key"),
            new Place(ClaimRpc.BEGIN, "requester"),
            new Place(ClaimRpc.RENEW, "claim.id"),
            new Place(ClaimRpc.COMPLETE, "claim.id"),
            new Place(ClaimRpc.FAIL, "claim.id"),
            new Place(ClaimRpc.RELEASE, "lifecycle"),
            new Place(ClaimRpc.RELEASE, "entity_id"),
            new Place(ClaimRpc.RELEASE, "request_id"),
            new Place(ClaimRpc.RELEASE, "reason"),
            new Place(ClaimRpc.DELETE, "lifecycle"),
            new Place(ClaimRpc.DELETE, "entity_id"),
            new Place(ClaimRpc.DELETE, "request_id"),
            new Place(ClaimRpc.DELETE, "reason"),
            new Place(ClaimRpc.DECLARE, "contract.module"),
            new Place(ClaimRpc.SWEEP, "module"),
            new Place(ClaimRpc.POLL, "module"),
            new Place(ClaimRpc.RECOVER, "claim.id"),
            new Place(ClaimRpc.RECOVER, "outcome"))
        .map(
            place -> {
              var request = Edit.clear(example(place.rpc), place.path).build().toByteArray();
              return refused(
                  place.rpc,
                  place.path,
                  "is missing",
                  request,
                  ErrorReason.ERROR_REASON_INVALID_FIELD);
            });
  }

  @TestFactory
  Stream<DynamicTest> durations() {
    var tests = new ArrayList<DynamicTest>();
    for (var place :
        List.of(
            new Place(ClaimRpc.BEGIN, "lease"),
            new Place(ClaimRpc.BEGIN, "wait"),
            new Place(ClaimRpc.RENEW, "lease"),
            new Place(ClaimRpc.POLL, "lease"),
            new Place(ClaimRpc.POLL, "wait"),
            new Place(ClaimRpc.DECLARE, "contract.stale_after"),
            new Place(ClaimRpc.DECLARE, "contract.every"))) {
      var bad =
          new ArrayList<>(
              List.of(
                  duration(-1, 0),
                  duration(0, -1),
                  duration(1, -1),
                  duration(1, 1_000_000_000),
                  duration(Long.MAX_VALUE, 0),
                  duration(Long.MIN_VALUE, 0),
                  duration(86_400, 1)));
      bad.add(place.path.equals("wait") ? duration(30, 1) : duration(0, 99_999_999));
      bad.forEach(
          time ->
              tests.add(
                  refused(
                      place,
                      String.format(
                          Locale.ROOT, "= %d s %d ns", time.getSeconds(), time.getNanos()),
                      time)));
    }
    return tests.stream();
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  @TestFactory
  Stream<DynamicTest> numbers() {
    var tests = new ArrayList<DynamicTest>();
    for (var place :
        List.of(
            new Place(ClaimRpc.FAIL, "kind"),
            new Place(ClaimRpc.RECOVER, "outcome"),
            new Place(ClaimRpc.RELEASE, "outcome"),
            new Place(ClaimRpc.DECLARE, "contract.mode"))) {
      for (var bad : List.of(99, -1, Integer.MIN_VALUE)) {
        tests.add(refused(place, "= " + bad, unknown(place, bad)));
      }
    }
    for (var rpc : List.of(ClaimRpc.BEGIN, ClaimRpc.RELEASE)) {
      tests.add(refused(new Place(rpc, "expected_version"), "= -1", -1L));
    }
    tests.add(refused(new Place(ClaimRpc.EVENTS, "after_version"), "= -1", -1L));
    tests.add(refused(new Place(ClaimRpc.LIST, "statuses[0]"), "is empty", ""));
    tests.add(refused(new Place(ClaimRpc.POLL, "max_recoveries"), "= -1", -1));
    tests.add(refused(new Place(ClaimRpc.POLL, "max_recoveries"), "= 501", 501));
    for (var rpc :
        List.of(
            ClaimRpc.LIST_LIFECYCLES,
            ClaimRpc.LIST,
            ClaimRpc.EVENTS,
            ClaimRpc.CLAIMS,
            ClaimRpc.LIST_JANITORS)) {
      tests.add(refused(new Place(rpc, "page_size"), "= -1", -1));
      for (var bad : List.of("x", "!!!!", "\0", "x".repeat(300), "A".repeat(31))) {
        tests.add(refused(new Place(rpc, "page_token"), "= <" + bad + ">", bad));
      }
    }
    return tests.stream();
  }

  private Object unknown(Place place, int number) {
    var type = example(place.rpc).getDescriptorForType();
    for (var name : place.path.split("\\.", -1)) {
      var field = type.findFieldByName(name);
      if (name.equals(place.name())) {
        return field.getEnumType().findValueByNumberCreatingIfUnknown(number);
      }
      type = field.getMessageType();
    }
    throw new AssertionError(place);
  }

  @TestFactory
  Stream<DynamicTest> sizes() {
    var states = ClaimCaller.contract();
    IntStream.range(0, 1_001).forEach(i -> states.addClaimStates("state-" + i));
    var request = caller.declaration(states).toByteArray();
    return Stream.of(
        refused(
            ClaimRpc.DECLARE,
            "contract.claim_states",
            "has 1,003",
            request,
            ErrorReason.ERROR_REASON_INVALID_FIELD),
        refused(
            ClaimRpc.DECLARE,
            "contract.claim_states",
            "with all_claim_states",
            caller.declaration(ClaimCaller.contract().setAllClaimStates(true)).toByteArray(),
            ErrorReason.ERROR_REASON_INVALID_FIELD),
        refused(
            ClaimRpc.LIST,
            "statuses",
            "has 101",
            ListEntitiesRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .addAllStatuses(Collections.nCopies(101, "approved"))
                .build()
                .toByteArray(),
            ErrorReason.ERROR_REASON_INVALID_FIELD),
        refused(new Place(ClaimRpc.FAIL, "message"), "of 4,097 bytes", "x".repeat(4_097)),
        refused(new Place(ClaimRpc.FAIL, "message"), "with U+0000", "a\0b"),
        refused(
            new Place(ClaimRpc.COMPLETE, "output.json"),
            "of 262,145 bytes",
            "\"" + "x".repeat(262_143) + "\""),
        refused(new Place(ClaimRpc.COMPLETE, "output.json"), "no JSON", "{"),
        refused(
            new Place(ClaimRpc.APPLY, "lifecycles[0]"), "of 262,145 bytes", " ".repeat(262_145)),
        refused(new Place(ClaimRpc.VALIDATE, "json"), "of 262,145 bytes", " ".repeat(262_145)));
  }

  @Test
  @DisplayName("what is no lifecycle is a violation, and is not applied [X4, C4]")
  void lifecycles() {
    for (var bad :
        List.of(
            "{",
            "[]",
            "null",
            "{\"a\":1}",
            "[".repeat(65) + "]".repeat(65),
            "[".repeat(20_000),
            ClaimCaller.BILLING.replace("\"draft\"", "\"dr\\u0000aft\""),
            ClaimCaller.BILLING.replace("\"draft\"", "\"dr\\ud800aft\""),
            ClaimCaller.BILLING.replace("\"draft\"", "\"" + "x".repeat(256) + "\""),
            ClaimCaller.BILLING.replace("\"draft\"", "\"" + ofFourBytes(255) + "\""),
            ClaimCaller.BILLING.replace("\"billing\"", "\"" + ofFourBytes(255) + "\""),
            ClaimCaller.BILLING.replace("10", "1".repeat(256)))) {
      var refusal = Refusal.of(() -> caller.apply(bad));
      assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_INVALID);
      assertThat(refusal.fields())
          .isNotEmpty()
          .allMatch(field -> field.startsWith("lifecycles[0]"));
    }
  }

  @Test
  @DisplayName("a claim that was made up or changed, or is of another tenant, is unknown [X4]")
  void foreignClaims() throws Exception {
    try (var foreign = ClaimCaller.to(deployment.target())) {
      var _ = foreign.approved(ClaimRpc.ENTITY);
      var ofForeign = foreign.claimed(ClaimRpc.ENTITY);
      var unknown =
          ClaimLost.newBuilder()
              .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
              .setWorkspace(caller.workspace())
              .build();
      var id = claim.getId();
      var cut = id.substring(0, id.length() - 1);
      var last = id.charAt(id.length() - 1) == 'A' ? 'B' : 'A';
      for (var bad :
          List.of(
              ofForeign,
              claim.toBuilder().setFence(claim.getFence() + 1).build(),
              claim.toBuilder().setFence(-1).build(),
              claim.toBuilder().setFence(Long.MIN_VALUE).build(),
              claim.toBuilder().setId(cut).build(),
              claim.toBuilder().setId(cut + last).build(),
              claim.toBuilder().setId("x").build(),
              claim.toBuilder().setId("\u00e4".repeat(255)).build())) {
        for (var rpc : OF_A_CLAIM) {
          var answer =
              rpc.raw()
                  .call(caller.runs().caller(), rpc.example(caller, bad).build().toByteArray());
          var lost = answer.getField(answer.getDescriptorForType().findFieldByName("claim_lost"));
          assertThat(answer.getAllFields()).as("%s %s", rpc, bad).hasSize(1);
          assertThat(lost).as("%s %s", rpc, bad).isEqualTo(unknown);
        }
      }
      // and the foreign one holds as before
      assertThat(foreign.complete(ofForeign).hasCompleted()).isTrue();
    }
  }
}
