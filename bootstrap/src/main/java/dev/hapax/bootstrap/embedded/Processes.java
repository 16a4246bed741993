package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The state of processes that are not children of this one. */
final class Processes {
  private Processes() {}

  /** Excludes zombies: where hapax is process 1 of a container, a killed postmaster stays one. */
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && !isZombie(process);
  }

  private static boolean isZombie(ProcessHandle process) {
    try {
      return Files.readString(procfs(process).resolve("status")).contains("State:\tZ");
    } catch (IOException _) {
      return false;
    }
  }

  static Path procfs(ProcessHandle process) {
    return Path.of("/proc", Long.toString(process.pid()));
  }
}
