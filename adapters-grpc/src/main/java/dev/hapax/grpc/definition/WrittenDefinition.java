package dev.hapax.grpc.definition;

import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * The text of a definition file, in a file or in a request.
 *
 * @param violations problems of the text; the definition has the readable parts
 */
public record WrittenDefinition(RegisterDefinitionRequest definition, List<Violation> violations) {
  public WrittenDefinition {
    violations = List.copyOf(violations);
  }

  /** Parses a text, without the rules of the server. */
  public static WrittenDefinition parse(String json) {
    var violations = new ArrayList<Violation>();
    var definition = DefinitionJson.read(json, violations);
    return new WrittenDefinition(definition, violations);
  }

  /**
   * Replaces the text of a request by the fields that it has.
   *
   * @throws InvalidFieldException with all violations, by the same paths as those of a file
   */
  public static RegisterDefinitionRequest expanded(RegisterDefinitionRequest request) {
    if (request.getJson().isEmpty()) {
      return request;
    }
    var text = parse(request.getJson());
    var violations = new ArrayList<>(text.violations());
    if (!request.getName().isEmpty()
        || !request.getVersion().isEmpty()
        || request.getStepsCount() > 0
        || request.getLimitsCount() > 0
        || request.hasTimeout()) {
      violations.add(
          new Violation(
              "json", "cannot be set together with name, version, steps, timeout and limits"));
    }
    var definition = text.definition().toBuilder();
    if (!request.getActor().isEmpty()) {
      definition.setActor(request.getActor());
    }
    if (!request.getReason().isEmpty()) {
      definition.setReason(request.getReason());
    }
    var whole =
        new WrittenDefinition(definition.build(), violations).within(request.getWorkspace());
    if (!whole.violations().isEmpty()) {
      throw new InvalidFieldException(
          whole.checked().stream().map(WrittenDefinition::ofRequest).toList());
    }
    return whole.definition();
  }

  /** The text as a whole is a field of the request. */
  private static Violation ofRequest(Violation found) {
    return found.field().isEmpty() ? new Violation("json", found.rule()) : found;
  }

  /**
   * Returns the text with its workspace.
   *
   * @param workspace target workspace; empty = that of the text
   */
  public WrittenDefinition within(String workspace) {
    var own = definition.getWorkspace();
    if (workspace.isEmpty() || own.equals(workspace)) {
      return this;
    }
    var all = new ArrayList<>(violations);
    if (!own.isEmpty()) {
      all.add(new Violation("workspace", "must be " + workspace + " or unset (was " + own + ")"));
    }
    return new WrittenDefinition(definition.toBuilder().setWorkspace(workspace).build(), all);
  }

  /** Returns all violations, also those of the rules of the server. */
  public List<Violation> checked() {
    var all = new ArrayList<>(violations);
    try {
      var _ = DefinitionDecoding.checked(definition);
    } catch (InvalidFieldException e) {
      e.violations().stream()
          .filter(found -> violations.stream().noneMatch(known -> explains(known, found)))
          .forEach(all::add);
    }
    return List.copyOf(all);
  }

  /** Returns whether one violation implies the other: an unreadable field is missing as well. */
  private static boolean explains(Violation known, Violation found) {
    return known.field().isEmpty()
        || found.field().equals(known.field())
        || found.field().startsWith(known.field() + ".")
        || found.field().startsWith(known.field() + "[");
  }
}
