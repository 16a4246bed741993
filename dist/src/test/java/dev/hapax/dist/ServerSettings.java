package dev.hapax.dist;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a server makes of a configuration, with a folder in place of {@code /etc/hapax}. */
record ServerSettings(Path folder) {
  private static final String INSTALLED = "/etc/hapax";

  ServerSettings {
    try {
      for (var each : List.of("definitions", "lifecycles", "database")) {
        Files.createDirectories(folder.resolve(each));
      }
      Files.writeString(folder.resolve("database/password"), "secret");
      Files.writeString(folder.resolve("database-password"), "secret");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads a properties file as {@code hapax serve --config} does. */
  ServerConfig read(String properties, Map<String, String> environment) throws Exception {
    var file =
        Files.writeString(
            folder.resolve("hapax.properties"), properties.replace(INSTALLED, folder.toString()));
    return ConfigReader.read(Map.of(), environment, Optional.of(file));
  }

  /** Fails if the command line does not accept these arguments. */
  static void parse(List<String> arguments) {
    HapaxCommand.commandLine(Map.of()).parseArgs(arguments.toArray(String[]::new));
  }
}
