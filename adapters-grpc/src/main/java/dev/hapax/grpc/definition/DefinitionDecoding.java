package dev.hapax.grpc.definition;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.grpc.call.RequestRules;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

/** Decodes definitions. */
public final class DefinitionDecoding {
  private static final String RESERVED = "hapax.";

  private DefinitionDecoding() {}

  /**
   * Decodes a registration that did not come by the server's interface, such as that of a file.
   *
   * @throws InvalidFieldException with all violations
   */
  public static RegisterDefinition checked(RegisterDefinitionRequest request) {
    RequestRules.check(request);
    return command(request);
  }

  static RegisterDefinition command(RegisterDefinitionRequest request) {
    if (request.getName().startsWith(RESERVED)) {
      throw new InvalidFieldException(
          "name", "must not begin with \"" + RESERVED + "\", which is reserved for the server");
    }
    var duplicates = duplicates(request.getStepsList());
    if (!duplicates.isEmpty()) {
      throw new InvalidFieldException(duplicates);
    }
    var steps = new ArrayList<StepDefinition>();
    for (var i = 0; i < request.getStepsCount(); i++) {
      var path = String.format(Locale.ROOT, "steps[%d]", i);
      steps.add(new StepDecoding(path).step(request.getSteps(i)));
    }
    return new RegisterDefinition(
        new DefinitionId(
            FieldReader.workspace(request.getWorkspace()), request.getName(), request.getVersion()),
        steps,
        Durations.decode(request.hasTimeout(), request.getTimeout()),
        LimitFields.read("limits", request.getLimitsList()),
        CallerReader.attribution(request.getActor(), request.getReason()));
  }

  private static List<Violation> duplicates(List<dev.hapax.v1.StepDefinition> steps) {
    var violations = new ArrayList<Violation>();
    var indexes = new HashMap<String, Integer>();
    for (var i = 0; i < steps.size(); i++) {
      var earlier = indexes.putIfAbsent(steps.get(i).getName(), i);
      if (earlier != null) {
        violations.add(
            new Violation(
                String.format(Locale.ROOT, "steps[%d].name", i),
                String.format(
                    Locale.ROOT, "must be unique (steps[%d] has the same name)", earlier)));
      }
    }
    return violations;
  }
}
