package dev.hapax.domain.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Written;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleWriterTest {
  /** Steps with every field, with required fields only, and for no requester. */
  private static final String TEXT =
      """
      { "lifecycle": "billing", "module": "accounts", "entity": "invoices",
        "status_types": ["draft", "approved", "closing", "closed", "paying"],
        "after_effects": {
          "SendBillingEmails": { "lease": "10m", "retry": { "max_attempts": 5, "initial": "1ms",
              "factor": 1.5, "max": "1h30m", "non_retryable": ["B", "A"], "x_why": "slow" } },
          "Thank": { "definition": "thanks", "definition_version": "2", "x_a/b": [1.50] } },
        "description": "Closes billings", "x_owner": { "team": null },
        "non_idempotent_actions": ["Pay"],
        "steps": [
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "system": ["closing", "approved"], "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed", "batch": "draft" },
            "action": { "admin": "CloseBillingActionUseCase" },
            "success_after_effect": { "admin": "SendBillingEmails" } },
          { "step_id": "007", "description": "Ready to close", "step_key": "approve", "status": "draft",
            "successful_state": "approved", "action": "Approve" },
          { "step_id": "pay", "step_key": "pay", "status": "closed",
            "claim_state": ["paying", "closed"], "successful_state": "approved",
            "action": "Pay", "success_after_effect": "Thank" },
          { "step_key": "never", "status": "closed", "successful_state": {}, "action": {} } ] }
      """;

  private static final Document FULL = Written.of(TEXT);

  private static Lifecycle read(Document document) {
    return LifecycleReader.read(document).lifecycle().orElseThrow();
  }

  @Test
  @DisplayName("a lifecycle that was written is read as it was, with its rules and without")
  void roundTrip() {
    var lifecycle = read(FULL);
    var written = LifecycleWriter.write(lifecycle);
    assertThat(read(Document.of(written))).isEqualTo(lifecycle);
    assertThat(LifecycleReader.readAgain(written)).isEqualTo(lifecycle);
  }

  @Test
  @DisplayName("an accepted lifecycle is read even if a later rule would reject it")
  void acceptedOnce() {
    var forbidden = TEXT.replace("[\"paying\", \"closed\"]", "[\"closed\", \"closed\"]");
    assertThat(LifecycleReader.read(Written.of(forbidden)).violations()).isNotEmpty();
    var lifecycle = LifecycleReader.readAgain((Json.Obj) Written.of(forbidden).root());
    assertThat(lifecycle.claimStates()).containsExactly("closed", "closing");
  }

  @Test
  @DisplayName("it is written as in the seed: numbers stay numbers, and one value stays one")
  void form() {
    var first = step(0);
    assertThat(first).containsEntry("step_id", new Json.Num("20"));
    assertThat(step(1))
        .containsEntry("step_id", new Json.Str("007"))
        .containsEntry("successful_state", new Json.Str("approved"))
        .doesNotContainKey("successful_claim_state");
    assertThat(first.keySet()).containsAll(List.of("successful_claim_state", "action"));
  }

  @Test
  @DisplayName("annotations keep their place and are part of the lifecycle")
  void annotations() {
    assertThat(step(1)).containsEntry("description", new Json.Str("Ready to close"));
    assertThat(LifecycleWriter.write(read(FULL)).members())
        .containsEntry("description", new Json.Str("Closes billings"))
        .containsEntry("x_owner", new Json.Obj(Map.of("team", new Json.Null())));
    assertThat(read(Written.of(TEXT.replace("Ready to close", "Other words"))))
        .isNotEqualTo(read(FULL));
  }

  private static Map<String, Json> step(int place) {
    var steps = DocumentReader.member(LifecycleWriter.write(read(FULL)), "steps").orElseThrow();
    return ((Json.Obj) ((Json.Array) steps).elements().get(place)).members();
  }
}
