package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file in a startup folder, with its workspace. */
public record WorkspaceFile(String workspace, Path path) {
  private static final String DEFAULT_WORKSPACE = "default";
  private static final String ENDING = ".json";

  /** Lists {@code *.json} for workspace {@code default}, and {@code NAME/*.json} for NAME. */
  public static List<WorkspaceFile> in(Path folder) throws IOException {
    var files = new ArrayList<WorkspaceFile>();
    for (var path : list(folder)) {
      if (Files.isDirectory(path)) {
        var workspace = path.getFileName().toString();
        list(path).stream()
            .filter(WorkspaceFile::isJson)
            .forEach(file -> files.add(new WorkspaceFile(workspace, file)));
      } else if (isJson(path)) {
        files.add(new WorkspaceFile(DEFAULT_WORKSPACE, path));
      }
    }
    return files;
  }

  /** Sorts by name, so that all servers use the same order; skips hidden files. */
  private static List<Path> list(Path folder) throws IOException {
    try (var paths = Files.list(folder)) {
      return paths.filter(path -> !path.getFileName().toString().startsWith(".")).sorted().toList();
    }
  }

  private static boolean isJson(Path path) {
    return path.toString().endsWith(ENDING) && Files.isRegularFile(path);
  }
}
