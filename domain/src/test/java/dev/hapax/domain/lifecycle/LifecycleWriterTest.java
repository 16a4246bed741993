package dev.hapax.domain.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Written;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleWriterTest {
  /** With every field, for all and for some; with none but those that have to be; for nobody. */
  private static final String TEXT =
      """
      { "lifecycle": "billing", "module": "money", "entity": "invoices",
        "status_types": ["approved", "closing", "closed", "paying"],
        "steps": [
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "system": ["closing", "approved"], "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "Close" }, "success_after_effect": { "admin": "Send" } },
          { "step_id": "pay", "step_key": "pay", "status": "closed",
            "claim_state": ["paying", "closed"], "successful_state": "approved",
            "action": "Pay", "success_after_effect": "Thank" },
          { "step_key": "back", "status": "closed", "successful_state": "approved" },
          { "step_key": "never", "status": "closed", "successful_state": {}, "action": {} }
        ] }
      """;

  private static Lifecycle read(String text) {
    return LifecycleReader.read(Written.of(text)).lifecycle().orElseThrow();
  }

  @Test
  @DisplayName("a lifecycle that was written is read as it was, with its rules and without")
  void writtenAndRead() {
    var lifecycle = read(TEXT);
    var written = LifecycleWriter.write(lifecycle);
    assertThat(LifecycleReader.read(Document.of(written)).lifecycle()).contains(lifecycle);
    assertThat(LifecycleReader.readAgain(written)).isEqualTo(lifecycle);
  }

  @Test
  @DisplayName("what was accepted once is read, also if a rule refused it today")
  void acceptedOnce() {
    var forbidden = TEXT.replace("[\"paying\", \"closed\"]", "[\"closed\", \"closed\"]");
    assertThat(LifecycleReader.read(Written.of(forbidden)).violations()).isNotEmpty();
    var lifecycle = LifecycleReader.readAgain((Json.Obj) Written.of(forbidden).root());
    assertThat(lifecycle.claimStates()).containsExactly("closed", "closing");
  }
}
