package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings from flags, variables and a file, in this precedence. Unknown flags and keys are
 * errors; unknown variables are warnings.
 */
public final class ConfigReader {
  /** The variable with the path of the file, like {@code --config}. */
  public static final String CONFIG_VARIABLE = Settings.VARIABLE_PREFIX + "CONFIG";

  private final Map<Setting<?>, SettingValues.Given> given = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  private ConfigReader() {}

  /**
   * Reads the configuration of a server.
   *
   * @param flags values by setting name, without dashes
   * @param file value of {@code --config}
   */
  public static ServerConfig read(
      Map<String, String> flags, Map<String, String> environment, Optional<Path> file)
      throws ConfigurationException {
    var reader = new ConfigReader();
    reader.addFlags(flags);
    reader.addVariables(environment);
    file.or(() -> nonBlank(environment.get(CONFIG_VARIABLE)).map(Path::of))
        .ifPresent(reader::addFile);
    return ServerConfig.from(new SettingValues(reader.given, reader.problems));
  }

  /** Returns warnings about unknown variables, with the most similar known name. */
  public static List<String> warnings(Map<String, String> environment) {
    return UnknownVariables.warnings(environment);
  }

  private void addFlags(Map<String, String> flags) {
    for (var setting : Settings.ALL) {
      Optional.ofNullable(flags.get(setting.name()))
          .ifPresent(text -> add(setting, text, setting.flag()));
    }
  }

  private void addVariables(Map<String, String> environment) {
    for (var setting : Settings.ALL) {
      // an empty variable counts as unset, as after `VAR=${VAR:-}`
      nonBlank(environment.get(setting.variable()))
          .ifPresent(text -> add(setting, text, setting.variable()));
    }
  }

  private void addFile(Path file) {
    var unknown = new TreeMap<String, String>();
    try (var lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      var properties = new Properties();
      properties.load(lines);
      properties
          .stringPropertyNames()
          .forEach(key -> unknown.put(key, properties.getProperty(key).strip()));
    } catch (IOException e) {
      problems.add("the file " + file + " " + FileErrors.describe(file, e));
      return;
    } catch (IllegalArgumentException e) {
      problems.add("the file " + file + " is not a valid properties file: " + e.getMessage());
      return;
    }
    for (var setting : Settings.ALL) {
      Optional.ofNullable(unknown.remove(setting.name()))
          .ifPresent(text -> add(setting, text, setting.name() + " in " + file));
    }
    unknown.keySet().forEach(key -> problems.add("unknown key '" + key + "' in " + file));
  }

  private void add(Setting<?> setting, String text, String origin) {
    given.putIfAbsent(setting, new SettingValues.Given(text, origin));
  }

  private static Optional<String> nonBlank(@Nullable String text) {
    return Optional.ofNullable(text).filter(value -> !value.isBlank());
  }
}
