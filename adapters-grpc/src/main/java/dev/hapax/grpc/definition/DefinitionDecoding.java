package dev.hapax.grpc.definition;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.Registrant;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.Violations;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Reads a definition, and says all that is wrong with it at once. */
public final class DefinitionDecoding {
  private static final String RESERVED = "hapax.";

  /** Stands for text that breaks a rule. */
  static final String INVALID = "invalid";

  private DefinitionDecoding() {}

  /**
   * What registers it.
   *
   * @throws dev.hapax.grpc.call.InvalidFieldException with every rule that it breaks
   */
  public static RegisterDefinition command(RegisterDefinitionRequest request) {
    var violations = new Violations();
    var workspace =
        violations.read(Workspace.DEFAULT, () -> FieldReader.workspace(request.getWorkspace()));
    var name = violations.read(INVALID, () -> name(request.getName()));
    var version =
        violations.read(INVALID, () -> FieldReader.requiredName("version", request.getVersion()));
    var steps = steps(request.getStepsList(), violations);
    var actor = violations.read(INVALID, () -> FieldReader.name("actor", request.getActor()));
    var reason = violations.read(INVALID, () -> FieldReader.name("reason", request.getReason()));
    violations.refuse();
    return new RegisterDefinition(
        new DefinitionId(workspace, name, version),
        steps,
        new Registrant(Actor.caller(actor).name(), reason));
  }

  private static String name(String sent) {
    return FieldReader.read(
        "name", FieldReader.requiredName("name", sent), DefinitionDecoding::requireOurs);
  }

  private static String requireOurs(String name) {
    if (name.startsWith(RESERVED)) {
      throw new InvalidValueException("begins with \"" + RESERVED + "\", which is the server's");
    }
    return name;
  }

  private static List<StepDefinition> steps(
      List<dev.hapax.v1.StepDefinition> sent, Violations violations) {
    if (sent.isEmpty() || sent.size() > Definition.MAX_STEPS) {
      violations.add(
          "steps",
          sent.isEmpty()
              ? "needs at least one step"
              : "has %d steps; at most %d are allowed"
                  .formatted(sent.size(), Definition.MAX_STEPS));
      return List.of();
    }
    var steps = new ArrayList<StepDefinition>();
    var places = new HashMap<String, Integer>();
    for (var i = 0; i < sent.size(); i++) {
      var path = "steps[%d]".formatted(i);
      steps.add(new StepDecoding(path, violations).step(sent.get(i)));
      var earlier = places.putIfAbsent(sent.get(i).getName(), i);
      if (earlier != null && !sent.get(i).getName().isEmpty()) {
        violations.add(path + ".name", "is that of steps[%d] too".formatted(earlier));
      }
    }
    return steps;
  }
}
