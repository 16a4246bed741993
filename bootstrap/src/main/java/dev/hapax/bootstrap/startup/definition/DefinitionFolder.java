package dev.hapax.bootstrap.startup.definition;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.bootstrap.config.WorkspaceFile;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.grpc.definition.DefinitionDecoding;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/** A folder of definitions that a server registers when it starts. */
public final class DefinitionFolder {
  private final List<DefinitionFile> files;

  private DefinitionFolder(List<DefinitionFile> files) {
    this.files = files;
  }

  /** Reads {@code *.json} for workspace {@code default}, and {@code NAME/*.json} for NAME. */
  public static DefinitionFolder read(Path folder) throws ConfigurationException {
    var files = files(folder);
    var problems = files.stream().flatMap(file -> file.problems().stream()).toList();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return new DefinitionFolder(files);
  }

  private static List<DefinitionFile> files(Path folder) throws ConfigurationException {
    try {
      return WorkspaceFile.in(folder).stream()
          .map(file -> DefinitionFile.read(file.path(), file.workspace()))
          .toList();
    } catch (IOException e) {
      throw new ConfigurationException(
          List.of("the folder " + folder + " " + FileErrors.describe(folder, e)));
    }
  }

  /** The definitions of the workspaces with these names. */
  public DefinitionFolder of(Predicate<String> workspaces) {
    return new DefinitionFolder(
        files.stream().filter(file -> workspaces.test(file.definition().getWorkspace())).toList());
  }

  public int size() {
    return files.size();
  }

  /**
   * Registers all definitions.
   *
   * @return number of definitions that were not registered before
   */
  public int register(GatedRegistrations registrations) throws ConfigurationException, IOException {
    var problems = new ArrayList<String>();
    int added = 0;
    for (var file : files) {
      switch (register(file, registrations)) {
        case RegisterOutcome.Registered(_, var already) -> added += already ? 0 : 1;
        case RegisterOutcome.Different _ ->
            problems.add(
                file.problem(
                    file.title()
                        + " is already registered with other steps, and a version cannot change: use"
                        + " a new version"));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return added;
  }

  private static RegisterDefinitionRequest byServer(RegisterDefinitionRequest definition) {
    return definition.getActor().isEmpty()
        ? definition.toBuilder().setActor(Attribution.SERVER.actor()).build()
        : definition;
  }

  private static RegisterOutcome register(DefinitionFile file, GatedRegistrations registrations)
      throws IOException {
    try {
      return registrations.register(DefinitionDecoding.checked(byServer(file.definition()))).join();
    } catch (CompletionException e) {
      throw new IOException(
          file.problem(
              "cannot register: " + Objects.requireNonNullElse(e.getCause(), e).getMessage()),
          e);
    }
  }
}
