package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ValidateLifecycleRequest;
import io.grpc.Status.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifecycleIT {
  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.empty(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private Lifecycle get(String name) {
    return caller
        .lifecycles()
        .getLifecycle(
            GetLifecycleRequest.newBuilder().setWorkspace(caller.workspace()).setName(name).build())
        .getLifecycle();
  }

  private void requireUnknown(String name) {
    assertThat(Refusal.of(() -> get(name)).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_NOT_FOUND);
  }

  private List<LifecycleViolation> violations(String json) {
    return caller
        .lifecycles()
        .validateLifecycle(
            ValidateLifecycleRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .setJson(json)
                .build())
        .getViolationsList();
  }

  private static String jobs(String claimState) {
    return """
    { "lifecycle": "jobs", "module": "works",
      "status_types": ["open", "busy", "done", "gone"],
      "steps": [
        { "step_key": "work", "status": "open",
          "claim_state": %s, "successful_state": "done" },
        { "step_key": "clear", "status": "done",
          "claim_state": ["busy", "done"], "successful_state": "gone" } ] }
    """
        .formatted(claimState.replace('\'', '"'));
  }

  @ParameterizedTest(name = "{0}: {1} is refused [C4]")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "rule-1-tuple | ['busy']",
        "rule-1-tuple | ['busy', 1]",
        "rule-1-tuple | { 'admin': 'busy' }",
        "rule-2-known-status | ['nowhere', 'done']",
        "rule-2-known-status | ['busy', 'nowhere']",
        "rule-3-no-op | ['busy', 'busy']",
        "rule-4-from-status | ['open', 'done']",
        "rule-5-to-status | ['done', 'open']",
        "rule-6-one-revert | ['busy', 'open']",
        "rule-2-known-status | { 'admin': ['busy', 'done'], 'system': ['nowhere', 'done'] }",
        "rule-3-no-op | { 'admin': ['busy', 'busy'] }",
        "rule-4-from-status | { 'admin': ['busy', 'done'], 'system': ['open', 'done'] }",
        "rule-5-to-status | { 'admin': ['done', 'open'] }",
        "rule-6-one-revert | { 'admin': ['busy', 'open'] }"
      })
  void rules(String rule, String claimState) {
    caller.declare(JanitorContract.newBuilder().setModule("works").addClaimStates("busy"));
    var json = jobs(claimState);

    assertThat(violations(json))
        .filteredOn(violation -> violation.getRule().equals(rule))
        .isNotEmpty()
        .allSatisfy(
            violation -> {
              assertThat(violation.getLifecycle()).isEqualTo("jobs");
              assertThat(violation.getStep())
                  .isEqualTo(rule.equals("rule-6-one-revert") ? "clear" : "work");
              assertThat(violation.getPointer()).startsWith("/steps/");
              assertThat(violation.getLine()).isPositive();
              assertThat(violation.getMessage()).isNotEmpty();
              assertThat(violation.getAdvice()).isNotEmpty();
            });
    var refusal = Refusal.of(() -> caller.apply(json));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_INVALID);
    assertThat(refusal.message()).contains("jobs", "work", rule);
    assertThat(refusal.metadata()).containsEntry("lifecycle", "jobs");
    requireUnknown("jobs");
  }

  @Test
  @DisplayName(
      "given an invalid lifecycle, then the error lists all violations; a valid one "
          + "has none [C4]")
  void allAtOnce() {
    var json =
        """
        { "lifecycle": "jobs", "module": "works", "status_types": ["open", "busy", "done"],
          "colour": "red",
          "steps": [
            { "step_key": "a", "status": "open", "claim_state": ["busy"],
              "successful_state": "done" },
            { "step_key": "b", "status": "open", "claim_state": ["busy", "busy"],
              "successful_state": "done" },
            { "step_key": "b", "status": "open", "successful_state": "nowhere" } ] }
        """;
    assertThat(violations(json))
        .extracting(LifecycleViolation::getRule)
        .contains("rule-1-tuple", "rule-3-no-op", "unknown-field", "duplicate", "unknown-status");
    assertThat(violations("{")).extracting(LifecycleViolation::getRule).containsExactly("form");
    assertThat(violations(ClaimCaller.BILLING)).isEmpty();
  }

  @Test
  @DisplayName(
      "given a claim state without a janitor, then the lifecycle and the contract "
          + "are rejected [C5]")
  void coverage() {
    var refusal = Refusal.of(() -> caller.apply(ClaimCaller.BILLING));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_CLAIM_STATE_UNCOVERED);
    assertThat(refusal.message()).contains("billing", "closing", ClaimCaller.MODULE);
    requireUnknown(ClaimCaller.LIFECYCLE);

    var half = ClaimCaller.contract().clearClaimStates().addClaimStates("closing");
    caller.declare(half);
    assertThat(Refusal.of(() -> caller.apply(ClaimCaller.BILLING)).metadata())
        .containsEntry("claim_state", "correcting")
        .containsEntry("module", ClaimCaller.MODULE);
    caller.declare(ClaimCaller.contract());
    assertThat(caller.apply(ClaimCaller.BILLING).getLifecycle().getVersion()).isEqualTo(1);

    var withdrawn = Refusal.of(() -> caller.janitors().declareJanitor(caller.declaration(half)));
    assertThat(withdrawn.reason()).isEqualTo(ErrorReason.ERROR_REASON_CLAIM_STATE_UNCOVERED);
    assertThat(withdrawn.metadata()).containsEntry("lifecycle", ClaimCaller.LIFECYCLE);
    var covered = caller.listJanitors().getFirst().getContract().getClaimStatesList();
    assertThat(covered).containsExactly("closing", "correcting");
  }

  @Test
  @DisplayName(
      "given a claim state without a janitor, then the server does not start; with "
          + "one it does [C5]")
  void boot(@TempDir Path folder) throws IOException {
    try (var database = TestDatabase.create()) {
      Files.writeString(folder.resolve("billing.json"), ClaimCaller.BILLING);
      try (var server = start(database, "--lifecycles=" + folder)) {
        assertThat(server.awaitExit()).isEqualTo(2);
        assertThat(String.join("\n", server.errors()))
            .contains("billing", "closing", "correcting", ClaimCaller.MODULE)
            .doesNotContain("Exception");
      }
      Files.writeString(
          folder.resolve("janitor.json"),
          """
          { "janitor": "accounting", "claim_states": ["closing", "correcting"],
            "stale_after": "5m", "every": "2m", "mode": "hosted" }
          """);
      try (var server = start(database, "--lifecycles=" + folder)) {
        assertThat(server.awaitReady()).isNotEmpty();
      }
      // without the contract of the module no janitor covers the stored lifecycle
      database.execute("CREATE TABLE promised AS SELECT * FROM hapax.janitor");
      database.execute("UPDATE hapax.janitor SET contract = NULL");
      try (var server = start(database)) {
        assertThat(server.awaitExit()).isEqualTo(2);
        assertThat(String.join("\n", server.errors()))
            .contains("billing", "closing", "correcting", ClaimCaller.MODULE)
            .doesNotContain("Exception");
      }
      database.execute("UPDATE hapax.janitor j SET contract = p.contract FROM promised p");
      // what was declared counts from now on
      try (var server = start(database);
          var client = ClaimCaller.empty(server.awaitReady())) {
        var contract =
            client
                .janitors()
                .declareJanitor(
                    client
                        .declaration(
                            ClaimCaller.contract()
                                .setStaleAfter(Caller.seconds(300))
                                .setEvery(Caller.seconds(120)))
                        .toBuilder()
                        .setWorkspace("default")
                        .build());
        assertThat(contract.getAlready()).isTrue();
      }
    }
  }

  private static HapaxProcess start(TestDatabase database, String... more) {
    var arguments = new ArrayList<>(List.of("serve", "--listen=127.0.0.1:0"));
    arguments.add("--database-url=" + database.url());
    arguments.addAll(List.of(more));
    return HapaxProcess.start(arguments.toArray(String[]::new));
  }

  @Test
  @DisplayName(
      "given the same lifecycle again, also as read from the server, then nothing "
          + "changes [C4]")
  void already() {
    caller.declare(ClaimCaller.contract());
    var first = caller.apply(ClaimCaller.BILLING);
    assertThat(first.getAlready()).isFalse();
    assertThat(first.getLifecycle().getClaimStatesList()).containsExactly("closing", "correcting");
    var stored = get(ClaimCaller.LIFECYCLE);
    assertThat(stored.toBuilder().clearJson().build()).isEqualTo(first.getLifecycle());
    for (var json : List.of(ClaimCaller.BILLING, stored.getJson())) {
      var again = caller.apply(json);
      assertThat(again.getAlready()).isTrue();
      assertThat(again.getLifecycle()).isEqualTo(first.getLifecycle());
    }
    assertThat(get(ClaimCaller.LIFECYCLE)).isEqualTo(stored);
    var changed = caller.apply(ClaimCaller.BILLING.replace("SendBillingEmails", "SendLetters"));
    assertThat(changed.getAlready()).isFalse();
    assertThat(changed.getLifecycle().getVersion()).isEqualTo(2);
    var list =
        caller
            .lifecycles()
            .listLifecycles(
                ListLifecyclesRequest.newBuilder().setWorkspace(caller.workspace()).build());
    assertThat(list.getLifecyclesList()).containsExactly(changed.getLifecycle());
  }

  @Test
  @DisplayName("a claim state and its contract change in one call, or not at all [C5]")
  void renamed() {
    caller.declare(ClaimCaller.contract());
    var _ = caller.apply(ClaimCaller.BILLING);
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var request =
        caller.application(ClaimCaller.BILLING.replace("closing", "shutting")).toBuilder()
            .addJanitors(
                ClaimCaller.contract()
                    .clearClaimStates()
                    .addClaimStates("shutting")
                    .addClaimStates("correcting"))
            .build();
    assertThat(Refusal.of(() -> caller.lifecycles().applyLifecycles(request)).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE);
    assertThat(caller.listJanitors().getFirst().getContract().getClaimStatesList())
        .containsExactly("closing", "correcting");

    assertThat(caller.complete(claim).hasCompleted()).isTrue();
    var applied = caller.lifecycles().applyLifecycles(request);
    assertThat(applied.getLifecycles(0).getLifecycle().getVersion()).isEqualTo(2);
    assertThat(applied.getJanitors(0).getAlready()).isFalse();
    assertThat(caller.listJanitors().getFirst().getContract().getClaimStatesList())
        .containsExactly("correcting", "shutting");
  }

  /** {@link ClaimCaller#BILLING} without drafts and corrections. */
  private static final String WITHOUT_DRAFTS =
      """
      { "lifecycle": "billing", "module": "accounting", "entity": "invoices",
        "status_types": ["approved", "closing", "closed"],
        "steps": [
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "CloseBillingActionUseCase", "system": "CloseBilling" } } ] }
      """;

  @Test
  @DisplayName("a status that entities are in, or will be, is not taken away [C4]")
  void inUse() {
    caller.declare(ClaimCaller.contract());
    var _ = caller.apply(ClaimCaller.BILLING);
    var _ = caller.entities().createEntity(caller.creation("1", "draft").build());
    var _ = caller.entities().createEntity(caller.creation("2", "closed").build());
    var claim = caller.granted(caller.begin("2", "correct", "admin")).getClaim();

    var refusal = Refusal.of(() -> caller.apply(WITHOUT_DRAFTS));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE);
    assertThat(refusal.metadata()).containsEntry("statuses", "correcting, draft");
    assertThat(get(ClaimCaller.LIFECYCLE).getVersion()).isEqualTo(1);
    // and the statuses are open as before
    assertThat(caller.entities().createEntity(caller.creation("3", "draft").build()).getAlready())
        .isFalse();
    for (var id : List.of("1", "3")) {
      var approval = caller.granted(caller.begin(id, "approve", "anybody")).getClaim();
      assertThat(caller.complete(approval).hasCompleted()).isTrue();
    }
    // it is where it may stay, but would go to a draft
    assertThat(Refusal.of(() -> caller.apply(WITHOUT_DRAFTS)).message()).contains("\"2\"");
    assertThat(
            caller
                .entities()
                .failAction(caller.failure(claim, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE))
                .hasFailed())
        .isTrue();
    assertThat(caller.apply(WITHOUT_DRAFTS).getLifecycle().getVersion()).isEqualTo(2);
    assertThat(
            Refusal.of(() -> caller.entities().createEntity(caller.creation("4", "draft").build()))
                .fields())
        .containsExactly("status");
  }

  @Test
  @DisplayName("what began before a change ends as it began, or not at all [C4, black-box-F1]")
  void endsAsItBegan() {
    caller.declare(ClaimCaller.contract());
    var _ = caller.apply(ClaimCaller.BILLING);
    var _ = caller.approved("1");
    var _ = caller.approved("2");
    var claim = caller.claimed("1");
    var unclaimed = caller.granted(caller.begin("2", "close", "system")).getClaim();
    var changed =
        ClaimCaller.BILLING
            .replace("\"correcting\"],", "\"correcting\", \"archived\"],")
            .replace(
                "{ \"admin\": \"closed\", \"system\": \"closed\" }",
                "{ \"admin\": \"archived\", \"system\": \"archived\" }");
    assertThat(caller.apply(changed).getLifecycle().getVersion()).isEqualTo(2);
    assertThat(caller.complete(claim).getCompleted().getEntity().getStatus()).isEqualTo("closed");
    assertThat(caller.complete(unclaimed).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LIFECYCLE_CHANGED);
    assertThat(caller.get("2").getStatus()).isEqualTo("approved");
    var _ = caller.approved("3");
    var lost = caller.granted(caller.begin("3", "close", "system")).getClaim();
    var claiming =
        changed.replace(
            "{ \"admin\": [\"closing\", \"approved\"] }", "[\"closing\", \"approved\"]");
    assertThat(caller.apply(claiming).getLifecycle().getVersion()).isEqualTo(3);
    assertThat(caller.complete(lost).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LIFECYCLE_CHANGED);
    assertThat(caller.get("3").getStatus()).isEqualTo("approved");
  }
}
