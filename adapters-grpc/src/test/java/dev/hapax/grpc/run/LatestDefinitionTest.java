package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Without a version, the version registered last counts, whichever node registered it. */
class LatestDefinitionTest {
  private final Service here = new Service();
  private final Service elsewhere = here.anotherNode();

  @BeforeEach
  void firstVersion() {
    register(here, "1");
    assertThat(started(here)).isEqualTo("1");
    here.clock.advance(Duration.ofSeconds(1));
  }

  @AfterEach
  void close() {
    elsewhere.close();
    here.close();
  }

  private static boolean register(Service node, String version) {
    return node.definitions()
        .registerDefinition(
            RegisterDefinitionRequest.newBuilder()
                .setName("order")
                .setVersion(version)
                .addSteps(Service.task("a"))
                .build())
        .getAlready();
  }

  private static String started(Service node) {
    return started(node, Service.start());
  }

  private static String started(Service node, StartRunRequest.Builder request) {
    return node.runs().startRun(request.build()).getRun().getDefinitionVersion();
  }

  private static String shown(Service node) {
    var request = GetDefinitionRequest.newBuilder().setName("order").build();
    return node.definitions().getDefinition(request).getDefinition().getVersion();
  }

  @Test
  @DisplayName("given a version registered on another node, when a run starts, then it has it")
  void start() {
    register(elsewhere, "2");
    assertThat(started(here)).isEqualTo("2");
    assertThat(started(here)).isEqualTo("2");
    assertThat(started(here, Service.start().setDefinitionVersion("1"))).isEqualTo("1");
  }

  @Test
  @DisplayName("given a version registered on another node, then GetDefinition returns it")
  void get() {
    register(elsewhere, "2");
    assertThat(shown(here)).isEqualTo("2");
  }

  @Test
  @DisplayName(
      "given a version registered on another node, when a run with a token starts, then it has it")
  void token() {
    register(elsewhere, "2");
    var request = Service.start();
    request.addHooksBuilder().setToken("token");
    assertThat(started(here, request)).isEqualTo("2");
  }

  @Test
  @DisplayName("given a registration whose response was lost, when it is repeated, then it counts")
  void sentAgain() {
    // committed on another node, so that this one does not have the outcome
    register(elsewhere, "2");
    assertThat(register(here, "2")).isTrue();
    assertThat(started(here)).isEqualTo("2");
    assertThat(shown(here)).isEqualTo("2");
  }

  @Test
  @DisplayName(
      "given a key and a later version, when the start is repeated, then it returns the same run")
  void key() {
    var request = Service.start().setIdempotencyKey("key");
    assertThat(started(here, request)).isEqualTo("1");
    register(elsewhere, "2");
    assertThat(started(here, request)).isEqualTo("1");
    assertThat(started(elsewhere, request)).isEqualTo("1");
  }
}
