package dev.hapax.bootstrap.startup.lifecycle;

import static java.util.function.Predicate.not;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.bootstrap.config.WorkspaceFile;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.grpc.call.ItemErrorEncoding;
import dev.hapax.grpc.lifecycle.LifecycleErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A folder of lifecycles and janitors that a server applies when it starts. */
public final class LifecycleFolder {
  private static final long PAUSE_SECONDS = 1;
  private static final long TRIES = 2 * Retirement.TIME.toSeconds() / PAUSE_SECONDS;

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
      throw new ConfigurationException(
          List.of("the folder " + folder + " " + FileErrors.describe(folder, e)));
    }
  }

  /** The files of the workspaces with these names. */
  public LifecycleFolder of(Predicate<String> workspaces) {
    var some = new TreeMap<>(files);
    some.keySet().removeIf(workspace -> !workspaces.test(workspace.name()));
    return new LifecycleFolder(some);
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

  /** Rejects claim states without a janitor in the database, in any workspace. */
  public static void requireCovered(Janitors janitors) throws ConfigurationException, IOException {
    var problems =
        await("read janitors", janitors.all()).stream()
            .flatMap(
                found ->
                    found.janitor().uncovered().stream()
                        .map(missing -> problem(found.id().workspace(), missing.text())))
            .toList();
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  private static String problem(Workspace workspace, String text) {
    return "workspace \"%s\", %s".formatted(workspace.name(), text);
  }

  /**
   * Applies the files of each workspace, all or none of them.
   *
   * @return number of files that changed something
   */
  public int apply(Lifecycles lifecycles) throws ConfigurationException, IOException {
    var problems = new ArrayList<String>();
    var changed = 0L;
    for (var each : files.entrySet()) {
      switch (apply(lifecycles, each.getValue().set(each.getKey()))) {
        case ApplyOutcome.Applied(var applied, var declared) ->
            changed +=
                Stream.concat(applied.stream(), declared.stream())
                    .filter(not(Stored::already))
                    .count();
        case ApplyOutcome.Refused refused ->
            problems.add(
                problem(
                    each.getKey(),
                    ItemErrorEncoding.text(ItemErrorEncoding.error(LifecycleErrors.of(refused)))));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return (int) changed;
  }

  /** Retries while another server is changing one of the lifecycles. */
  private static ApplyOutcome apply(Lifecycles lifecycles, LifecycleSet set)
      throws ConfigurationException, IOException {
    var outcome = await("apply lifecycles", lifecycles.apply(set, Attribution.SERVER));
    for (var tries = TRIES; outcome instanceof ApplyOutcome.Changing && tries > 0; tries--) {
      var pause = CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS);
      outcome =
          await(
              "apply lifecycles",
              CompletableFuture.supplyAsync(() -> set, pause)
                  .thenCompose(again -> lifecycles.apply(again, Attribution.SERVER)));
    }
    return outcome;
  }

  private static <T> T await(String what, CompletableFuture<T> result)
      throws ConfigurationException, IOException {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TooManyException tooMany) {
        throw new ConfigurationException(List.of(String.valueOf(tooMany.getMessage())));
      }
      throw new IOException(
          "cannot %s: %s".formatted(what, Objects.requireNonNullElse(e.getCause(), e).getMessage()),
          e);
    }
  }
}
