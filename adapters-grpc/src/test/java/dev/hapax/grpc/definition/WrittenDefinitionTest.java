package dev.hapax.grpc.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.StepDefinition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WrittenDefinitionTest {
  private static final String ORDER =
      """
      {"name": "order", "version": "1", "workspace": "shop", "reason": "first",
       "steps": [{"name": "main", "code": {"queue": "orders"}}]}
      """;

  private static RegisterDefinitionRequest.Builder request(String json) {
    return RegisterDefinitionRequest.newBuilder().setJson(json);
  }

  private static InvalidFieldException refused(RegisterDefinitionRequest.Builder request) {
    return catchThrowableOfType(
        InvalidFieldException.class, () -> WrittenDefinition.expanded(request.build()));
  }

  @Test
  @DisplayName("given a text in a request, then it is the request with its fields")
  void expanded() {
    assertThat(
            WrittenDefinition.expanded(request(ORDER).setActor("ann").setReason("again").build()))
        .isEqualTo(
            RegisterDefinitionRequest.newBuilder()
                .setWorkspace("shop")
                .setName("order")
                .setVersion("1")
                .setActor("ann")
                .setReason("again")
                .addSteps(
                    StepDefinition.newBuilder()
                        .setName("main")
                        .setCode(CodeStep.newBuilder().setQueue("orders")))
                .build());
  }

  @Test
  @DisplayName(
      "given a text with errors, then a request names the same paths as a file, all at once"
          + " [workflows-U7]")
  void violations() {
    var json =
        """
        {"nam": "order", "steps": [{"timer": "soon"}, {"name": "a", "code": {"lease": "1ms"}}]}
        """;
    assertThat(refused(request(json)).violations())
        .isEqualTo(WrittenDefinition.parse(json).checked())
        .extracting(InvalidFieldException.Violation::field)
        .containsExactly(
            "nam",
            "steps[0].timer",
            "name",
            "version",
            "steps[0].name",
            "steps[1].code.queue",
            "steps[1].code.lease");
  }

  @Test
  @DisplayName("given a text beside other fields, then they must not contradict each other")
  void contradictions() {
    assertThat(refused(request(ORDER).setName("order")))
        .hasMessage("json cannot be set together with name, version, steps, timeout and limits");
    assertThat(refused(request(ORDER).setWorkspace("other")))
        .hasMessage("workspace must be other or unset (was shop)");
    assertThat(refused(request("{"))).hasMessage("json is not JSON at line 1, column 2");
  }
}
