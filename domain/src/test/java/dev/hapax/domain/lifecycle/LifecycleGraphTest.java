package dev.hapax.domain.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.Written;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleGraphTest {
  private static final Lifecycle CLOSING =
      LifecycleReader.read(
              Written.of(
                  """
          { "lifecycle": "billing", "module": "billing", "entity": "invoices",
            "status_types": ["approved", "closing", "closed"],
            "steps": [
              { "step_key": "close", "status": "approved", "successful_state": "closed",
                "claim_state": { "admin": ["closing", "approved"] }, "action": "Close" } ] }
          """))
          .lifecycle()
          .orElseThrow();

  @Test
  @DisplayName("a lifecycle as Mermaid text")
  void mermaid() {
    assertThat(new LifecycleGraph(CLOSING).mermaid())
        .isEqualTo(
            """
            stateDiagram-v2
              state "approved" as s0
              state "closing (claimed)" as s1
              state "closed" as s2
              s0 --> s2 : close
              s0 --> s1 : close (admin)
              s1 --> s2 : success
              s1 --> s0 : else
            """);
  }

  @Test
  @DisplayName("a lifecycle as Graphviz text")
  void dot() {
    assertThat(new LifecycleGraph(CLOSING).dot())
        .isEqualTo(
            """
            digraph "billing" {
              s0 [label="approved"];
              s1 [label="closing", style=dashed];
              s2 [label="closed"];
              s0 -> s2 [label="close"];
              s0 -> s1 [label="close (admin)"];
              s1 -> s2 [label="success"];
              s1 -> s0 [label="else"];
            }
            """);
  }
}
