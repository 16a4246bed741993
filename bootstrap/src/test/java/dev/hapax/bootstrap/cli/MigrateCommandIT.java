package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class MigrateCommandIT {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder = Path.of("");

  private int hapax(String command, String... options) {
    var arguments = new ArrayList<>(List.of(command, "--listen=127.0.0.1:0"));
    arguments.addAll(List.of(options));
    return HapaxCommand.commandLine(Map.of())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  @Test
  void bringsADatabaseToTheVersionThatDoctorWants() {
    var database = "--data-dir=" + folder;
    assertThat(hapax("doctor", database)).isZero();
    assertThat(out.toString()).contains("missing: `hapax serve` or `hapax migrate`");

    assertThat(hapax("migrate", database, "--dry-run")).isZero();
    assertThat(out.toString())
        .contains("there is no schema, and this version needs ")
        .contains("expand    V001__ledger.sql");
    assertThat(EmbeddedDatabase.exists(folder)).isFalse();

    assertThat(hapax("migrate", database)).isZero();
    assertThat(out.toString()).containsPattern("applied \\d+: the schema has version ");

    assertThat(hapax("migrate", database)).isZero();
    assertThat(out.toString()).contains("nothing to do: the schema has version ");
    assertThat(hapax("migrate", database, "--dry-run")).isZero();
    assertThat(out.toString())
        .containsPattern("the schema has version \\d+, and this version needs");
    assertThat(hapax("doctor", database)).isZero();
    assertThat(out.toString()).containsPattern("ok +schema +version \\d+\n");
  }

  @Test
  void saysWhichDatabaseCannotBeReached() {
    assertThat(hapax("migrate", "--database-url=jdbc:postgresql://127.0.0.1:1/x?password=s3cret"))
        .isEqualTo(1);
    assertThat(err.toString())
        .startsWith("hapax: cannot migrate jdbc:postgresql://127.0.0.1:1/x")
        .hasLineCount(1)
        .doesNotContain("s3cret");
  }
}
