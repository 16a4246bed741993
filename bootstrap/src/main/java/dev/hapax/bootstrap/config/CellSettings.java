package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The settings of the cells beside the first one. */
final class CellSettings {
  static final Setting<List<String>> CELL =
      new Setting<>(
          "cell",
          "NAME=JDBC_URL",
          "",
          "A cell: a further PostgreSQL for the workspaces that are placed in it (hapax cell), or"
              + " citus: and the URL of the coordinator of a Citus cluster. May be given several"
              + " times; as a variable or a line with spaces between them. Its user and password are"
              + " those of the external database.",
          Kind.LIST,
          text -> Stream.of(text.strip().split("\\s+")).filter(each -> !each.isEmpty()).toList());

  static final Setting<Optional<Path>> CELLS =
      new Setting<>(
          "cells",
          "FILE",
          "",
          "File with a line NAME=JDBC_URL for each cell, then user=NAME and password-file=FILE if"
              + " they differ; read again when it changes.",
          Kind.PLAIN,
          text -> SettingParsers.optional(text).map(SettingParsers::path));

  private CellSettings() {}

  static CellsConfig read(SettingValues values, JdbcLogin defaults) {
    var listed = new ArrayList<CellTarget>();
    for (var text : values.get(CELL)) {
      try {
        CellsConfig.add(listed, text, defaults);
      } catch (IllegalArgumentException e) {
        values.problem(CELL, String.valueOf(e.getMessage()));
      }
    }
    return new CellsConfig(
        List.copyOf(listed),
        values.get(CELLS),
        defaults,
        values.get(Settings.ALLOW_UNSAFE_DATABASE));
  }
}
