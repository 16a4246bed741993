package dev.hapax.bootstrap.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.WorkspaceFile;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A folder of lifecycles and janitors that a server applies when it starts. */
public final class LifecycleFolder {
  private final Map<Workspace, LifecycleFiles> files;

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
      throw new ConfigurationException(List.of("lifecycles cannot be read: " + e));
    }
  }

  public int size() {
    return files.values().stream().mapToInt(each -> each.files().size()).sum();
  }

  /** What is perhaps not meant, each in one line. */
  public List<String> warnings() {
    return files.values().stream().flatMap(LifecycleFiles::warnings).map(Finding::line).toList();
  }

  /**
   * Declares and applies them all.
   *
   * @return how many of them were not so before
   */
  public int apply(Lifecycles lifecycles, Janitors janitors)
      throws ConfigurationException, IOException {
    var problems = new ArrayList<String>();
    var changed = 0;
    for (var of : files.entrySet()) {
      var applying = new Applying(of.getKey(), lifecycles, janitors);
      changed += applying.apply(of.getValue());
      problems.addAll(applying.problems());
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return changed;
  }
}
