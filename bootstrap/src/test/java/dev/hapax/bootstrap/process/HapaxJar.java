package dev.hapax.bootstrap.process;

import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The jar of hapax with an AOT cache of its classes, as users start it. A cache halves what the
 * start of a server costs, and tests start hundreds.
 *
 * @param cache newer than all jars
 */
record HapaxJar(Path jar, Path cache) {
  private static final int TRAINING_MINUTES = 3;

  /** The jar, and the cache beside it, which is recorded if it is not current. */
  static HapaxJar at(Path jar, List<String> javaCommand) {
    var program = new HapaxJar(jar, jar.resolveSibling("hapax-test.aot"));
    try {
      if (!program.cacheIsCurrent()) {
        program.recordCache(javaCommand);
      }
      return program;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The arguments of {@code java} that start it with this cache and more flags. */
  List<String> arguments(List<String> jvmFlags) {
    var arguments = new ArrayList<String>();
    arguments.add("-XX:AOTCache=" + cache);
    // other flags may not fit the cache, which is then left aside
    arguments.add("-Xlog:aot=off,cds=off");
    arguments.addAll(jvmFlags);
    arguments.addAll(List.of("-jar", jar.toString()));
    return arguments;
  }

  private boolean cacheIsCurrent() throws IOException {
    if (!Files.exists(cache)) {
      return false;
    }
    var recorded = Files.getLastModifiedTime(cache);
    try (var libraries = Files.list(jar.resolveSibling("lib"))) {
      var jars = new ArrayList<>(libraries.toList());
      jars.add(jar);
      for (var each : jars) {
        if (Files.getLastModifiedTime(each).compareTo(recorded) > 0) {
          return false;
        }
      }
      return true;
    }
  }

  private void recordCache(List<String> javaCommand) throws IOException {
    var folder = Files.createTempDirectory(jar.getParent(), "hapax-training");
    var made = folder.resolve("made.aot");
    var command = new ArrayList<>(javaCommand);
    command.addAll(List.of("-XX:AOTCacheOutput=" + made, "-jar", jar.toString()));
    var log = folder.resolve("log");
    // not the built-in one, which needs the newest PostgreSQL
    try (var database = TestDatabase.create()) {
      command.addAll(
          List.of(
              "train-server",
              "--listen=127.0.0.1:0",
              "--database-url=" + database.url(),
              "--allow-unsafe-database"));
      train(command, log);
    }
    Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE);
    Files.delete(log);
    Files.delete(folder);
  }

  private static void train(List<String> command, Path log) throws IOException {
    var training =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!training.waitFor(TRAINING_MINUTES, TimeUnit.MINUTES) || training.exitValue() != 0) {
        throw new AssertionError("no AOT cache was recorded\n" + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      training.destroyForcibly();
    }
  }
}
