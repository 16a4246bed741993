package dev.hapax.domain.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Inspection;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Written;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleWriterTest {
  private static final Document FULL =
      Written.of(
          """
          { "lifecycle": "billing", "module": "accounts", "entity": "invoices",
            "status_types": ["draft", "approved", "closing", "closed", "gone"],
            "steps": [
              { "step_id": 20, "step_key": "close", "status": "approved",
                "successful_claim_state": { "admin": ["closing", "approved"] },
                "successful_state": { "admin": "closed", "batch": "gone" },
                "action": { "admin": "CloseBillingActionUseCase" },
                "success_after_effect": { "admin": "SendBillingEmails" } },
              { "step_id": "007", "step_key": "approve", "status": "draft",
                "successful_state": "approved", "action": "Approve" } ] }
          """);

  private static Lifecycle read(Document document) {
    return LifecycleReader.read(document).lifecycle().orElseThrow();
  }

  @Test
  @DisplayName("what is written is read as the same lifecycle")
  void roundTrip() {
    var lifecycle = read(FULL);
    assertThat(read(Document.of(LifecycleWriter.write(lifecycle)))).isEqualTo(lifecycle);
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

  private static Map<String, Json> step(int place) {
    var steps = Inspection.member(LifecycleWriter.write(read(FULL)), "steps").orElseThrow();
    return ((Json.Obj) ((Json.Array) steps).elements().get(place)).members();
  }
}
