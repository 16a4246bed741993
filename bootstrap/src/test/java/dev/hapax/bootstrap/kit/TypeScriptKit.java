package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The TypeScript kit, installed from its npm package into a folder of this build. */
final class TypeScriptKit {
  static final Path SOURCES = Kit.FOLDER.resolve("typescript");

  /** Where the package is installed, beside the compiled programs of its tests. */
  static final Path APP = SOURCES.resolve("build/app");

  private static final String NEEDS = "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)";

  private TypeScriptKit() {}

  private static boolean runs(String... command) {
    return KitInstallation.succeeds(SOURCES, command);
  }

  /**
   * Builds the package, installs it as npm does for users, and compiles the programs of the tests.
   */
  static void install() throws IOException {
    KitInstallation.once("typescript", TypeScriptKit::build);
  }

  private static void build() throws IOException {
    Kit.require(
        runs("node", "-e", NEEDS) && runs("npm", "--version"),
        "the TypeScript kit needs Node.js 20 or later, with npm");
    Kit.require(
        hasLibraries() || runs("npm", "install", "--no-audit", "--no-fund"),
        "the TypeScript kit needs its libraries; run npm install in " + SOURCES);
    try (var build = HapaxProcess.startProgram(SOURCES, "npm", "run", "installed")) {
      assertThat(build.awaitExit(KitInstallation.PATIENCE))
          .as("%s %s", build.output(), build.errors())
          .isZero();
    }
  }

  /** Whether npm has installed what package.json says, and not what an older one said. */
  private static boolean hasLibraries() throws IOException {
    var installed = SOURCES.resolve("node_modules/.package-lock.json");
    return Files.exists(installed)
        && Files.getLastModifiedTime(installed)
                .compareTo(Files.getLastModifiedTime(SOURCES.resolve("package.json")))
            >= 0;
  }

  /** Starts a program that uses the installed kit. */
  static HapaxProcess start(String program, Map<String, String> environment, String... arguments) {
    var command = new ArrayList<>(List.of("node", program));
    command.addAll(List.of(arguments));
    return HapaxProcess.startProgram(APP, environment, command.toArray(String[]::new));
  }
}
