package dev.hapax.grpc.definition;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.FieldViolations;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

/** Decodes definitions and reports all violations of one at once. */
public final class DefinitionDecoding {
  private static final String RESERVED = "hapax.";

  /** Replaces an invalid text. */
  static final String INVALID = "invalid";

  private DefinitionDecoding() {}

  /**
   * Decodes a registration.
   *
   * @throws dev.hapax.grpc.call.InvalidFieldException with all violations
   */
  public static RegisterDefinition command(RegisterDefinitionRequest request) {
    var violations = new FieldViolations();
    var workspace =
        violations.read(Workspace.DEFAULT, () -> FieldReader.workspace(request.getWorkspace()));
    var name = violations.read(INVALID, () -> name(request.getName()));
    var version =
        violations.read(INVALID, () -> FieldReader.requiredName("version", request.getVersion()));
    var steps = steps(request.getStepsList(), violations);
    var actor = violations.read(Actor.SERVER, () -> CallerReader.actor(request.getActor()));
    var by =
        violations.read(
            Attribution.SERVER, () -> CallerReader.attribution(actor, request.getReason()));
    violations.throwIfAny();
    return new RegisterDefinition(new DefinitionId(workspace, name, version), steps, by);
  }

  private static String name(String sent) {
    return FieldReader.read(
        "name", FieldReader.requiredName("name", sent), DefinitionDecoding::requireUnreserved);
  }

  private static String requireUnreserved(String name) {
    if (name.startsWith(RESERVED)) {
      throw new InvalidValueException(
          "must not begin with \"" + RESERVED + "\", which is reserved for the server");
    }
    return name;
  }

  private static List<StepDefinition> steps(
      List<dev.hapax.v1.StepDefinition> sent, FieldViolations violations) {
    if (sent.isEmpty() || sent.size() > Definition.MAX_STEPS) {
      violations.add(
          "steps",
          sent.isEmpty()
              ? "needs at least one step"
              : String.format(
                  Locale.ROOT,
                  "has %d steps; at most %d are allowed",
                  sent.size(),
                  Definition.MAX_STEPS));
      return List.of();
    }
    var steps = new ArrayList<StepDefinition>();
    var indexes = new HashMap<String, Integer>();
    for (var i = 0; i < sent.size(); i++) {
      var path = String.format(Locale.ROOT, "steps[%d]", i);
      steps.add(new StepDecoding(path, violations).step(sent.get(i)));
      var earlier = indexes.putIfAbsent(sent.get(i).getName(), i);
      if (earlier != null && !sent.get(i).getName().isEmpty()) {
        violations.add(
            path + ".name",
            String.format(Locale.ROOT, "must be unique (steps[%d] has the same name)", earlier));
      }
    }
    return steps;
  }
}
