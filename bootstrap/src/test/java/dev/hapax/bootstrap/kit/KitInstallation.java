package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** Installs a kit once in a build, also when several processes of the build test it. */
final class KitInstallation {
  /** Set by Maven; a run from an IDE is a build of its own. */
  private static final String BUILD =
      System.getProperty("hapax.build", UUID.randomUUID().toString());

  private static final Path FOLDER = Path.of("target", "kits");

  private KitInstallation() {}

  /** The steps of an installation. */
  @FunctionalInterface
  interface Steps {
    void perform() throws IOException;
  }

  /** Whether a program is there, and ends with 0. */
  static boolean succeeds(Path folder, String... command) {
    try (var program = HapaxProcess.startProgram(folder, command)) {
      return program.awaitExit() == 0;
    } catch (RuntimeException _) {
      return false;
    }
  }

  static synchronized void once(String kit, Steps steps) throws IOException {
    Files.createDirectories(FOLDER);
    try (var file =
            FileChannel.open(
                FOLDER.resolve(kit + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        var _ = file.lock()) {
      var installed = FOLDER.resolve(kit + ".installed");
      if (Files.exists(installed) && Files.readString(installed).equals(BUILD)) {
        return;
      }
      steps.perform();
      Files.writeString(installed, BUILD);
    }
  }
}
