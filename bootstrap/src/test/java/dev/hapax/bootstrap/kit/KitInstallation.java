package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Installs a kit once for all tests of it. */
final class KitInstallation {
  /** Registries are far, and compilers share the machine with other tests. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  // guarded by the class
  private static final Set<String> INSTALLED = new HashSet<>();

  private KitInstallation() {}

  /** The steps of an installation. */
  @FunctionalInterface
  interface Steps {
    void perform() throws IOException;
  }

  /** Whether a program is there, and ends with 0. */
  static boolean succeeds(Path folder, String... command) {
    try (var program = HapaxProcess.startProgram(folder, command)) {
      return program.awaitExit(PATIENCE) == 0;
    } catch (RuntimeException _) {
      return false;
    }
  }

  static synchronized void once(String kit, Steps steps) throws IOException {
    if (!INSTALLED.contains(kit)) {
      steps.perform();
      INSTALLED.add(kit);
    }
  }
}
