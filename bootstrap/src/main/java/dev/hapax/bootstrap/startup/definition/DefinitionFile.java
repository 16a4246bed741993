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
 * A file, and the definition in it.
 *
 * @param violations what is wrong with it; the definition is what could be read
 */
public record DefinitionFile(
    Path path, RegisterDefinitionRequest definition, List<Violation> violations) {
  public DefinitionFile {
    violations = List.copyOf(violations);
  }

  /**
   * Reads a file and checks it by the server's own rules.
   *
   * @param workspace where it is to be registered; empty = where the file says
   */
  public static DefinitionFile read(Path path, String workspace) {
    var violations = new ArrayList<Violation>();
    var definition = definition(path, violations).toBuilder();
    var own = definition.getWorkspace();
    if (!workspace.isEmpty()) {
      if (!own.isEmpty() && !own.equals(workspace)) {
        violations.add(new Violation("workspace", "is " + own + ", which is not " + workspace));
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

  /** Adds what is wrong beside what is known to be. */
  private static void check(RegisterDefinitionRequest definition, List<Violation> violations) {
    try {
      var _ = DefinitionDecoding.command(definition);
    } catch (InvalidFieldException e) {
      var known = List.copyOf(violations);
      e.violations().stream()
          .filter(found -> known.stream().noneMatch(one -> explains(one, found)))
          .forEach(violations::add);
    }
  }

  /** Whether one follows from the other: what cannot be read is missing, too. */
  private static boolean explains(Violation known, Violation found) {
    return known.field().isEmpty()
        || found.field().equals(known.field())
        || found.field().startsWith(known.field() + ".")
        || found.field().startsWith(known.field() + "[");
  }

  /** Its name and version, as people call it. */
  public String title() {
    return definition.getName() + " " + definition.getVersion();
  }

  /** What is wrong with it, each in a line that names the file. */
  public List<String> problems() {
    return violations.stream().map(violation -> problem(violation.toString().strip())).toList();
  }

  public String problem(String what) {
    return path + ": " + what;
  }
}
