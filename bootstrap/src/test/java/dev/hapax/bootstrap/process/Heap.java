package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The heap of another JVM. */
final class Heap {
  /** The last line of a histogram: how many objects, and their bytes. */
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

  private Heap() {}

  /** The bytes of all objects that something refers to; it collects to know them. */
  static long live(long pid) {
    var histogram = jcmd(pid, "GC.class_histogram");
    var total = TOTAL.matcher(histogram);
    if (!total.find()) {
      throw new AssertionError("no histogram: " + histogram);
    }
    return Long.parseLong(total.group(1));
  }

  private static String jcmd(long pid, String command) {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      var process =
          new ProcessBuilder(jcmd, Long.toString(pid), command).redirectErrorStream(true).start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
