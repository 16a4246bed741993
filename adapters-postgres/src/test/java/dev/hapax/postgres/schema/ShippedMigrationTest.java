package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.schema.ShippedMigration.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedMigrationTest {
  /**
   * What servers of the previous version may still use, or what holds locks while it rewrites. A
   * column of names may grow to the longest name: that rewrites nothing.
   */
  private static final Pattern TAKES_AWAY =
      Pattern.compile(
          "DROP (TABLE|COLUMN|VIEW|FUNCTION|SCHEMA)|RENAME (TO|COLUMN)"
              + "|ALTER (COLUMN )?\\w+ (SET DATA )?TYPE (?!varchar\\(255\\) COLLATE)"
              + "|SET NOT NULL|TRUNCATE",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern REPLACED = Pattern.compile("DROP FUNCTION (\\w+)\\(");

  private static final int FIRST_WITH_KIND = 16;

  private static ShippedMigration migration(String script, String sql) {
    return ShippedMigration.of(script, 0, sql);
  }

  @Test
  @DisplayName("given the name of a file, then it says the version and the kind")
  void names() {
    assertThat(migration("V015__sql_grants.sql", "").kind()).isEqualTo(Kind.EXPAND);
    assertThat(migration("V060__expand_colour.sql", ""))
        .isEqualTo(
            new ShippedMigration(
                60, Kind.EXPAND, "V060__expand_colour.sql", 0, OptionalInt.empty()));
    assertThat(
            migration(
                "V061__contract_colour.sql",
                "-- Removes it.\nSELECT hapax.require_feature(2);\nDROP TABLE hapax.colour;"))
        .isEqualTo(
            new ShippedMigration(
                61, Kind.CONTRACT, "V061__contract_colour.sql", 0, OptionalInt.of(2)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"V060__colour.sql", "V61__expand_colour.sql", "V061_expand_colour.sql"})
  @DisplayName("given a name without a kind, or of another form, then it is refused")
  void untagged(String script) {
    assertThatThrownBy(() -> migration(script, "")).hasMessageContaining(script);
  }

  @Test
  @DisplayName("given a contract migration that requires no feature, then it is refused")
  void unguarded() {
    assertThatThrownBy(() -> migration("V061__contract_colour.sql", "DROP TABLE hapax.colour;"))
        .hasMessageContaining("SELECT hapax.require_feature");
  }

  @Test
  @DisplayName("given the migrations of this version, then those that expand take nothing away")
  void expandsTakeNothingAway() throws IOException {
    var expanding =
        Migrations.shipped().stream()
            .filter(migration -> migration.version() >= FIRST_WITH_KIND)
            .filter(migration -> migration.kind() == Kind.EXPAND)
            .toList();
    for (var migration : expanding) {
      assertThat(takesAway(sql(migration.script()))).as(migration.script()).isFalse();
    }
    for (var statement :
        List.of(
            "DROP TABLE run",
            "ALTER TABLE run DROP COLUMN state",
            "ALTER TABLE run RENAME COLUMN state TO status",
            "ALTER TABLE run ALTER COLUMN state TYPE bigint",
            "ALTER TABLE run ALTER COLUMN queue TYPE varchar(100)",
            "ALTER TABLE run ALTER state SET NOT NULL",
            "DROP FUNCTION f(text); CREATE FUNCTION g(text)")) {
      assertThat(takesAway(statement)).as(statement).isTrue();
    }
    assertThat(takesAway("DROP FUNCTION f(text); CREATE FUNCTION f(text, text)")).isFalse();
  }

  /** A function that is created again with one parameter more is still there for its callers. */
  private static boolean takesAway(String sql) {
    var without =
        REPLACED
            .matcher(sql)
            .replaceAll(drop -> sql.contains("CREATE FUNCTION " + drop.group(1) + "(") ? "" : "$0");
    return TAKES_AWAY.matcher(without).find();
  }

  private static String sql(String script) throws IOException {
    try (var stream = ShippedMigrationTest.class.getResourceAsStream("/db/migration/" + script)) {
      assertThat(stream).as(script).isNotNull();
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
