package dev.hapax.bootstrap.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The given settings with their origin; collects all problems instead of failing at the first. */
final class SettingValues {

  /** A value and its origin: a flag, a variable or a line of the file. */
  record Given(String text, String origin) {}

  private final Map<Setting<?>, Given> given;
  private final List<String> problems;

  SettingValues(Map<Setting<?>, Given> given, List<String> problems) {
    this.given = Map.copyOf(given);
    this.problems = new ArrayList<>(problems);
  }

  /** Returns the effective value; for an invalid one the default, until {@link #check} throws. */
  <T> T get(Setting<T> setting) {
    var value = Optional.ofNullable(given.get(setting));
    if (value.isPresent()) {
      try {
        return setting.parser().apply(value.get().text());
      } catch (IllegalArgumentException e) {
        problem(setting, String.valueOf(e.getMessage()));
      }
    }
    return setting.parser().apply(setting.fallback());
  }

  boolean isGiven(Setting<?> setting) {
    return given.containsKey(setting);
  }

  /** Records a problem of a setting with its origin. */
  void problem(Setting<?> setting, String what) {
    var value = Optional.ofNullable(given.get(setting));
    var origin = value.map(Given::origin).orElse(setting.flag());
    var text = value.map(Given::text).orElse(setting.fallback());
    problems.add(origin + "=" + shown(setting, text) + ": " + what);
  }

  void check() throws ConfigurationException {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  /** Returns all values in one line, with masked secrets, and the origin of non-default values. */
  String describe() {
    return Settings.ALL.stream().map(this::describe).collect(Collectors.joining(" "));
  }

  private String describe(Setting<?> setting) {
    var value = given.get(setting);
    return value == null
        ? setting.name() + "=" + shown(setting, setting.fallback())
        : setting.name() + "=" + shown(setting, value.text()) + " (" + value.origin() + ")";
  }

  private static String shown(Setting<?> setting, String text) {
    return switch (setting.kind()) {
      case PLAIN, SWITCH -> JdbcUrl.mask(text);
      case LIST -> Stream.of(text.split(" ")).map(JdbcUrl::mask).collect(Collectors.joining(" "));
      case SECRET -> text.isEmpty() ? "" : "***";
    };
  }
}
