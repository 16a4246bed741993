package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.LimitState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of steps and definitions on the server that users test with. */
@Timeout(60)
class LimitsTest {

  private static final Limit OPENAI = Limit.of("openai").input("/tenant").maxRunning(5);

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Hapax hapax =
      Hapax.builder().channel(server.channel()).json(new FakeJson()).connect();
  private final Limits limits = hapax.limits();

  @AfterEach
  void close() {
    hapax.close();
    server.close();
  }

  private void start(String json) {
    hapax.runs().start("answer", run -> run.input(new Value.Json(json)).label("shop", "berlin"));
  }

  @Test
  @DisplayName("given a limit that is set for a value, then its runs wait beyond that number")
  void sets() {
    hapax
        .definitions()
        .register(Definition.of("answer", "1").task("llm", "agents", step -> step.limits(OPENAI)));

    assertThat(limits.set("openai", limit -> limit.key("acme").maxRunning(1).reason("slow")))
        .isTrue();
    assertThat(limits.set("openai", limit -> limit.key("acme").maxRunning(1))).isFalse();
    start("{\"tenant\": \"acme\"}");
    start("{\"tenant\": \"acme\"}");
    start("{\"tenant\": \"other\"}");

    assertThat(limits.list("openai"))
        .extracting(LimitState::getKey, LimitState::getMaxRunning, LimitState::getWaiting)
        .containsExactly(tuple("acme", 1, 1), tuple("other", 5, 0));
    assertThat(limits.list("openai").findFirst().orElseThrow().getSetting().getReason())
        .isEqualTo("slow");

    assertThat(limits.remove("openai", limit -> limit.key("acme").ofDefinitions())).isFalse();
    assertThat(limits.remove("openai", limit -> limit.key("acme").reason("fast"))).isTrue();
    assertThat(limits.remove("openai", limit -> limit.key("acme").reason("fast"))).isFalse();
    assertThat(limits.remove("openai")).isFalse();
    assertThat(limits.list())
        .extracting(LimitState::getMaxRunning, LimitState::getRunning, LimitState::getWaiting)
        .contains(tuple(5, 2, 0));
  }

  @Test
  @DisplayName("given a limit by a label, or by nothing, then its steps declare that")
  void declares() {
    hapax
        .definitions()
        .register(
            Definition.of("answer", "1")
                .code(
                    "llm",
                    "agents",
                    step ->
                        step.limits(
                            Limit.of("shop").label("shop").maxRunning(2),
                            Limit.of("all").maxRunning(3))));
    start("{}");

    assertThat(limits.list())
        .extracting(LimitState::getName, LimitState::getKey, LimitState::getMaxRunning)
        .containsExactly(tuple("all", "", 3), tuple("shop", "berlin", 2));
  }

  @Test
  @DisplayName("given a limit of a definition, then its runs wait, and it is set by itself")
  void ofDefinitions() {
    hapax
        .definitions()
        .register(
            Definition.of("answer", "1")
                .limits(Limit.of("openai").input("/tenant").maxRunning(1))
                .task("llm", "agents"));
    assertThat(hapax.definitions().get("answer", "1").message().getLimits(0).getMaxRunning())
        .isEqualTo(1);
    start("{\"tenant\": \"acme\"}");
    start("{\"tenant\": \"acme\"}");
    assertThat(limits.set("openai", limit -> limit.maxRunning(3))).isTrue();
    assertThat(limits.list("openai").filter(LimitState::getOfDefinitions))
        .extracting(LimitState::getKey, LimitState::getMaxRunning, LimitState::getWaiting)
        .containsExactly(tuple("acme", 1, 1));
    assertThat(limits.set("openai", limit -> limit.ofDefinitions().maxRunning(3))).isTrue();
    assertThat(limits.list("openai").filter(LimitState::getOfDefinitions))
        .extracting(LimitState::getKey, LimitState::getMaxRunning, LimitState::getWaiting)
        .containsExactly(tuple("", 3, 0), tuple("acme", 3, 0));
  }

  @Test
  @DisplayName("given settings out of bounds, when a limit is built, then the field is named")
  void bounds() {
    assertThatThrownBy(() -> Limit.of("")).hasMessageContaining("name");
    assertThatThrownBy(() -> OPENAI.maxRunning(0)).hasMessageContaining("maxRunning");
    assertThatThrownBy(() -> OPENAI.input("")).hasMessageContaining("input");
    assertThatThrownBy(() -> limits.set("openai", limit -> limit.maxRunning(1_001)))
        .hasMessageContaining("maxRunning");
    assertThatThrownBy(() -> limits.set("openai", limit -> limit.reason("none")))
        .isInstanceOf(HapaxException.Refused.class);
  }
}
