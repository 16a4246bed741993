package dev.hapax.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the CPU time of processes in microseconds; NaN without /proc. */
final class ProcessorTime {
  private static final double TICK_MICROS = 10_000;
  private static final boolean IS_KNOWN = Files.exists(Path.of("/proc/self/stat"));

  // positions after the process name
  private static final int USER = 11;
  private static final int SYSTEM = 12;
  private static final int USER_OF_ENDED_CHILDREN = 13;
  private static final int SYSTEM_OF_ENDED_CHILDREN = 14;

  private ProcessorTime() {}

  static double of(long pid) {
    return IS_KNOWN ? sum(pid, USER, SYSTEM) : Double.NaN;
  }

  /** Returns the CPU time of a process and all of its children, including those that exited. */
  static double ofFamily(ProcessHandle parent) {
    if (!IS_KNOWN) {
      return Double.NaN;
    }
    var own = sum(parent.pid(), USER, SYSTEM, USER_OF_ENDED_CHILDREN, SYSTEM_OF_ENDED_CHILDREN);
    return own + parent.children().mapToDouble(child -> sum(child.pid(), USER, SYSTEM)).sum();
  }

  private static double sum(long pid, int... fields) {
    try {
      var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      var words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      var ticks = 0.0;
      for (var field : fields) {
        ticks += Long.parseLong(words[field]);
      }
      return ticks * TICK_MICROS;
    } catch (IOException _) {
      // the process has just exited: the kernel adds its time to its parent
      return 0;
    }
  }
}
