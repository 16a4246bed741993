package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.LifecycleDeployment;
import dev.hapax.application.lifecycle.LifecyclePlan;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.bootstrap.config.WorkspaceFile;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** A folder of lifecycles and janitors that a server applies when it starts. */
public final class LifecycleFolder {
  private final Map<Workspace, LifecycleFiles> files;

  /** An empty folder. */
  public static final LifecycleFolder NONE = new LifecycleFolder(Map.of());

  private LifecycleFolder(Map<Workspace, LifecycleFiles> files) {
    this.files = files;
  }

  /** Reads {@code *.json} for workspace {@code default}, and {@code NAME/*.json} for NAME. */
  public static LifecycleFolder read(Path folder) throws ConfigurationException {
    var problems = new ArrayList<String>();
    var files = new TreeMap<Workspace, LifecycleFiles>();
    paths(folder)
        .forEach(
            (name, paths) -> {
              var read = LifecycleFiles.read(paths);
              problems.addAll(read.problems());
              try {
                files.put(new Workspace(name), read);
              } catch (InvalidValueException e) {
                problems.add(
                    "%s: the workspace \"%s\" %s".formatted(paths.getFirst(), name, e.rule()));
              }
            });
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return new LifecycleFolder(files);
  }

  private static Map<String, List<Path>> paths(Path folder) throws ConfigurationException {
    try {
      return WorkspaceFile.in(folder).stream()
          .collect(
              Collectors.groupingBy(
                  WorkspaceFile::workspace,
                  TreeMap::new,
                  Collectors.mapping(WorkspaceFile::path, Collectors.toList())));
    } catch (IOException e) {
      throw new ConfigurationException(
          List.of("the folder " + folder + " " + FileErrors.describe(folder, e)));
    }
  }

  public int size() {
    return files.values().stream().mapToInt(each -> each.files().size()).sum();
  }

  /** Returns a line for each warning. */
  public List<String> warnings() {
    return files.values().stream()
        .flatMap(LifecycleFiles::warnings)
        .map(FileFinding::line)
        .toList();
  }

  /** Rejects claim states without a janitor, in any workspace, before anything changes. */
  public void requireCovered(Janitors janitors) throws ConfigurationException, IOException {
    requireCovered(stored(janitors));
  }

  private void requireCovered(Map<Workspace, Map<String, Janitor>> stored)
      throws ConfigurationException {
    var workspaces = new TreeSet<>(stored.keySet());
    workspaces.addAll(files.keySet());
    var problems =
        workspaces.stream()
            .flatMap(workspace -> plan(workspace, stored).problems().stream())
            .toList();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  private LifecyclePlan plan(Workspace workspace, Map<Workspace, Map<String, Janitor>> stored) {
    return files
        .getOrDefault(workspace, new LifecycleFiles(List.of()))
        .plan(workspace.name(), stored.getOrDefault(workspace, Map.of()));
  }

  private static Map<Workspace, Map<String, Janitor>> stored(Janitors janitors) throws IOException {
    try {
      return janitors.all().join().stream()
          .collect(
              Collectors.groupingBy(
                  watched -> watched.id().workspace(),
                  Collectors.toMap(watched -> watched.id().module(), JanitorStatus::janitor)));
    } catch (CompletionException e) {
      throw new IOException(
          "cannot read janitors: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
    }
  }

  /**
   * Declares and applies all files, if every claim state then has a janitor.
   *
   * @return number of files that changed something
   */
  public int apply(Lifecycles lifecycles, Janitors janitors)
      throws ConfigurationException, IOException {
    var stored = stored(janitors);
    requireCovered(stored);
    var problems = new ArrayList<String>();
    var changed = new int[1];
    try {
      for (var workspace : files.keySet()) {
        var plan = plan(workspace, stored);
        var server = new LocalLifecycleTarget(workspace, lifecycles, janitors);
        problems.addAll(
            LifecycleDeployment.apply(plan, server, (_, already) -> changed[0] += already ? 0 : 1));
      }
    } catch (CompletionException e) {
      throw new IOException(
          "cannot apply lifecycles: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(),
          e);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return changed[0];
  }
}
