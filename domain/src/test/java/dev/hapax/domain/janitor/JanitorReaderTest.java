package dev.hapax.domain.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.Violation;
import dev.hapax.domain.json.Written;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JanitorReaderTest {
  @Test
  @DisplayName("a contract as it is written in a file, and its defaults [C6]")
  void contract() {
    var full =
        Written.of(
            """
            { "janitor": "billing", "claim_states": ["closing", "paying"], "stale_after": "1m30s",
              "every": "500ms", "mode": "remote" }
            """);
    assertThat(JanitorReader.isJanitor(full)).isTrue();
    assertThat(JanitorReader.read(full).contract())
        .contains(
            new JanitorContract(
                "billing",
                Set.of("closing", "paying"),
                JanitorTiming.of(Duration.ofSeconds(90), Duration.ofMillis(500)),
                JanitorMode.REMOTE));
    assertThat(
            JanitorReader.read(Written.of("{ \"janitor\": \"b\", \"claim_states\": [] }"))
                .contract())
        .contains(new JanitorContract("b", Set.of(), JanitorTiming.DEFAULT, JanitorMode.HOSTED));
    assertThat(JanitorReader.isJanitor(Written.of("{ \"lifecycle\": \"b\" }"))).isFalse();
    assertThat(JanitorReader.isJanitor(Written.of("[]"))).isFalse();
  }

  private static JanitorReader.Read read(String members) {
    return JanitorReader.read(Written.of("{ \"janitor\": \"b\", " + members + " }"));
  }

  @Test
  @DisplayName("a contract may cover all claim states of its module instead of naming some")
  void allClaimStates() {
    var all =
        new JanitorContract(
            "b", new ClaimStateCoverage.All(), JanitorTiming.DEFAULT, JanitorMode.HOSTED);
    assertThat(read("\"all_claim_states\": true").contract()).contains(all);
    assertThat(read("\"all_claim_states\": false, \"claim_states\": []").contract())
        .contains(new JanitorContract("b", Set.of(), JanitorTiming.DEFAULT, JanitorMode.HOSTED));
    assertThat(read("\"all_claim_states\": true, \"claim_states\": []").violations())
        .extracting(Violation::pointer)
        .containsExactly("/claim_states");
    assertThat(read("\"all_claim_states\": 1, \"claim_states\": []").violations())
        .extracting(Violation::pointer)
        .containsExactly("/all_claim_states");
    assertThat(read("\"all_claim_states\": false").violations())
        .extracting(Violation::message)
        .containsExactly("\"claim_states\" is missing");
  }

  @Test
  @DisplayName("all violations of a contract are reported at once")
  void violations() {
    var read =
        JanitorReader.read(
            Written.of(
                """
                { "janitor": "billing",
                  "claim_states": ["closing", "closing", 3],
                  "stale_after": "5 min",
                  "every": "25h",
                  "mode": "both",
                  "period": "1m" }
                """));
    assertThat(read.contract()).isEmpty();
    assertThat(read.violations())
        .extracting(Violation::pointer)
        .containsExactlyInAnyOrder(
            "/claim_states/1", "/claim_states/2", "/stale_after", "/every", "/mode", "/period");
    assertThat(read.violations()).extracting(Violation::subject).containsOnly("janitor billing");
  }
}
