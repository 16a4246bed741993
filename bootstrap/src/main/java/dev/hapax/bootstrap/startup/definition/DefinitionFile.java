package dev.hapax.bootstrap.startup.definition;

import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.grpc.definition.DefinitionDecoding;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file with a definition.
 *
 * @param violations problems of the file; the definition contains the readable parts
 */
public record DefinitionFile(
    Path path, RegisterDefinitionRequest definition, List<Violation> violations) {
  public DefinitionFile {
    violations = List.copyOf(violations);
  }

  /**
   * Reads a file and checks it with the rules of the server.
   *
   * @param workspace target workspace; empty = that of the file
   */
  public static DefinitionFile read(Path path, String workspace) {
    var violations = new ArrayList<Violation>();
    var definition = definition(path, violations).toBuilder();
    var own = definition.getWorkspace();
    if (!workspace.isEmpty()) {
      if (!own.isEmpty() && !own.equals(workspace)) {
        violations.add(
            new Violation("workspace", "must be " + workspace + " or unset (was " + own + ")"));
      }
      definition.setWorkspace(workspace);
    }
    check(definition.build(), violations);
    return new DefinitionFile(path, definition.build(), violations);
  }

  private static RegisterDefinitionRequest definition(Path path, List<Violation> violations) {
    try {
      return DefinitionJson.read(Files.readString(path, StandardCharsets.UTF_8), violations);
    } catch (IOException e) {
      violations.add(new Violation("", FileErrors.describe(path, e)));
    }
    return RegisterDefinitionRequest.getDefaultInstance();
  }

  /** Adds violations that do not follow from known ones. */
  private static void check(RegisterDefinitionRequest definition, List<Violation> violations) {
    try {
      var _ = DefinitionDecoding.checked(definition);
    } catch (InvalidFieldException e) {
      var known = List.copyOf(violations);
      e.violations().stream()
          .filter(found -> known.stream().noneMatch(one -> explains(one, found)))
          .forEach(violations::add);
    }
  }

  /** Returns whether one violation implies the other: an unreadable field is missing as well. */
  private static boolean explains(Violation known, Violation found) {
    return known.field().isEmpty()
        || found.field().equals(known.field())
        || found.field().startsWith(known.field() + ".")
        || found.field().startsWith(known.field() + "[");
  }

  /** Returns name and version. */
  public String title() {
    return definition.getName() + " " + definition.getVersion();
  }

  /** Returns a line for each violation, with the path of the file. */
  public List<String> problems() {
    return violations.stream().map(violation -> problem(violation.toString().strip())).toList();
  }

  public String problem(String what) {
    return path + ": " + what;
  }
}
