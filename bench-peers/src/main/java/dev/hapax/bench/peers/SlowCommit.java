package dev.hapax.bench.peers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A library that delays the flushes of a PostgreSQL which preloads it. */
record SlowCommit(Path library, Duration delay) {
  private static final String SOURCE = "slow-commit.c";

  SlowCommit {
    if (!delay.isPositive()) {
      throw new IllegalArgumentException("slow-commit must be more than 0 (was " + delay + ")");
    }
  }

  /**
   * Compiles the library.
   *
   * @throws IOException if there is no C compiler, or it fails
   */
  static SlowCommit compile(Path folder, Duration delay) throws IOException, InterruptedException {
    var source = folder.resolve(SOURCE);
    try (var text = SlowCommit.class.getResourceAsStream("/" + SOURCE)) {
      if (text == null) {
        throw new FileNotFoundException(SOURCE);
      }
      Files.copy(text, source);
    }
    var library = folder.resolve("slow-commit.so");
    var compiler =
        new ProcessBuilder(
                "cc",
                "-O2",
                "-shared",
                "-fPIC",
                "-o",
                library.toString(),
                source.toString(),
                "-ldl")
            .redirectErrorStream(true)
            .start();
    var output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new IOException("cc failed: " + output.strip());
    }
    return new SlowCommit(library, delay);
  }

  /** Returns the environment variables that make PostgreSQL preload the library. */
  Map<String, String> variables() {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "SLOW_COMMIT_MICROS", Long.toString(TimeUnit.NANOSECONDS.toMicros(delay.toNanos())));
  }
}
