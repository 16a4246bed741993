package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Setting;
import dev.hapax.bootstrap.config.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The settings of a server as options of a command. */
public final class ServerSettingOptions {
  private static final Logger LOG = LoggerFactory.getLogger(ServerSettingOptions.class);
  public static final String CONFIG_FLAG = "--config";
  private static final String TRUE = "true";

  /** Marks a command with the settings of a server. */
  public interface User {}

  private ServerSettingOptions() {}

  static void addTo(CommandSpec spec) {
    Settings.ALL.forEach(setting -> spec.addOption(option(setting)));
    spec.addOption(
        OptionSpec.builder(CONFIG_FLAG)
            .paramLabel("FILE")
            .type(Path.class)
            .description("Configuration file with a line NAME=VALUE for each setting.")
            .build());
    spec.usageMessage()
        .abbreviateSynopsis(true)
        .footer(
            "",
            "Every option can also be an environment variable (HAPAX_DATA_DIR)",
            "or a line of the configuration file (data-dir=DIR).",
            "Options override variables, variables override the file.");
  }

  private static OptionSpec option(Setting<?> setting) {
    var option =
        OptionSpec.builder(setting.flag())
            .paramLabel(setting.label())
            .type(String.class)
            .description(description(setting));
    return switch (setting.kind()) {
      case PLAIN, SECRET -> option.build();
      case LIST -> option.type(List.class).auxiliaryTypes(String.class).build();
      case SWITCH -> option.arity("0..1").fallbackValue(TRUE).build();
    };
  }

  private static String description(Setting<?> setting) {
    return setting.fallback().isEmpty()
        ? setting.doc()
        : setting.doc() + " Default: " + setting.fallback();
  }

  private static Optional<String> given(ParseResult parsed, Setting<?> setting) {
    return switch (setting.kind()) {
      case PLAIN, SECRET, SWITCH ->
          Optional.ofNullable(parsed.<String>matchedOptionValue(setting.flag(), null));
      case LIST ->
          Optional.ofNullable(parsed.<List<String>>matchedOptionValue(setting.flag(), null))
              .map(values -> String.join(" ", values));
    };
  }

  /** Reads the settings from the options of a command, variables and the file. */
  public static ServerConfig read(ParseResult parsed, Map<String, String> environment)
      throws ConfigurationException {
    ConfigReader.warnings(environment).forEach(LOG::warn);
    var flags = new HashMap<String, String>();
    for (var setting : Settings.ALL) {
      given(parsed, setting).ifPresent(value -> flags.put(setting.name(), value));
    }
    return ConfigReader.read(
        flags,
        environment,
        Optional.ofNullable(parsed.<Path>matchedOptionValue(CONFIG_FLAG, null)));
  }
}
