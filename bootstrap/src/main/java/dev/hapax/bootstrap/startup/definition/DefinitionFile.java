package dev.hapax.bootstrap.startup.definition;

import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.grpc.definition.WrittenDefinition;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    WrittenDefinition text;
    try {
      text = WrittenDefinition.parse(Files.readString(path, StandardCharsets.UTF_8));
    } catch (IOException e) {
      text =
          new WrittenDefinition(
              RegisterDefinitionRequest.getDefaultInstance(),
              List.of(new Violation("", FileErrors.describe(path, e))));
    }
    var within = text.within(workspace);
    return new DefinitionFile(path, within.definition(), within.checked());
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
