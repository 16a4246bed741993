package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A program that runs to its end. */
record ExternalProcess(List<String> words) {

  /** The exit code and the output. */
  record Ended(int exitCode, String output) {
    boolean failed() {
      return exitCode != 0;
    }
  }

  static ExternalProcess of(List<String> prefix, String program, String... arguments) {
    var words = new ArrayList<>(prefix);
    words.add(program);
    words.addAll(List.of(arguments));
    return new ExternalProcess(List.copyOf(words));
  }

  Ended run() throws IOException {
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    // must not see settings of another PostgreSQL, nor secrets of hapax
    builder.environment().keySet().removeIf(n -> n.startsWith("PG") || n.startsWith("HAPAX_"));
    builder.environment().put("LC_ALL", "C");
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Ended(process.waitFor(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + words.getFirst() + " ran", e);
    }
  }
}
