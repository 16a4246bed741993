package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status.Code;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
  private record Place(ClaimRpc rpc, String path) {}

  private Message.Builder example(ClaimRpc rpc) {
    return rpc.example(caller, claim);
  }

  private DynamicTest refused(Place place, String what, Object value) {
    var request = Edit.set(example(place.rpc), place.path, value).build().toByteArray();
    return refused(place.rpc, place.path, what, request);
  }

  private DynamicTest refused(ClaimRpc rpc, String field, String what, byte[] request) {
    return dynamicTest(
        "X4: %s: %s %s".formatted(rpc, field, what),
        () -> {
          var refusal = Refusal.of(() -> rpc.raw().call(caller.runs().caller(), request));
          assertThat(refusal.code()).as(refusal.message()).isEqualTo(Code.INVALID_ARGUMENT);
          assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
          assertThat(refusal.fields()).containsExactly(field);
          assertThat(refusal.message()).startsWith(field + " ");
        });
  }

  /** Not to be compressed, so that an index has to hold all of it. */
  private static String ofFourBytes(int characters) {
    return new Random(characters)
        .ints(characters, 0x20000, 0x2a6df)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
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
  Stream<DynamicTest> workspaces() {
    return Arrays.stream(ClaimRpc.values())
        .map(rpc -> refused(new Place(rpc, "workspace"), "= <A>", "A"));
  }

  @TestFactory
  Stream<DynamicTest> meaning() {
    return Stream.concat(
        OF_A_CLAIM.stream()
            .map(
                rpc ->
                    refused(
                        rpc,
                        "claim.id",
                        "is missing",
                        Edit.clear(example(rpc), "claim.id").build().toByteArray())),
        Stream.of(
            refused(
                ClaimRpc.DECLARE,
                "contract.claim_states",
                "with all_claim_states",
                caller.declaration(ClaimCaller.contract().setAllClaimStates(true)).toByteArray())));
  }

  @TestFactory
  Stream<DynamicTest> pageTokens() {
    return Stream.of(
            ClaimRpc.LIST_LIFECYCLES,
            ClaimRpc.LIST,
            ClaimRpc.EVENTS,
            ClaimRpc.CLAIMS,
            ClaimRpc.LIST_JANITORS)
        .flatMap(
            rpc ->
                Stream.of("x", "!!!!", "x".repeat(300), "A".repeat(31))
                    .map(bad -> refused(new Place(rpc, "page_token"), "= <" + bad + ">", bad)));
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
