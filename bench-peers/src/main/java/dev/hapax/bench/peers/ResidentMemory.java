package dev.hapax.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads how much memory of a process is resident, in MiB; NaN without /proc. */
final class ResidentMemory {
  private static final String FIELD = "VmRSS:";
  private static final double KIB_PER_MIB = 1_024;

  private ResidentMemory() {}

  static double of(long pid) throws IOException {
    var status = Path.of("/proc", Long.toString(pid), "status");
    if (!Files.exists(status)) {
      return Double.NaN;
    }
    try (var lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith(FIELD))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / KIB_PER_MIB)
          .findFirst()
          .orElse(Double.NaN);
    }
  }
}
