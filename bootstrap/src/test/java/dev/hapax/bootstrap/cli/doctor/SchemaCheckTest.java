package dev.hapax.bootstrap.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import org.junit.jupiter.api.Test;

class SchemaCheckTest {

  @Test
  void saysWhatToDo() {
    var pending = Migrations.shipped();
    assertThat(SchemaCheck.of(new SchemaState.Behind(0, pending), 3).level()).isEqualTo(Level.OK);
    assertThat(SchemaCheck.of(new SchemaState.Usable(3), 3).level()).isEqualTo(Level.OK);
    assertThat(SchemaCheck.of(new SchemaState.Behind(9, pending), 10))
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.WARN);
              assertThat(finding.text()).contains("`hapax migrate` upgrades it");
            });
    assertThat(SchemaCheck.of(new SchemaState.Usable(10), 9))
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.OK);
              assertThat(finding.text()).isEqualTo("version 10; this hapax needs 9 or later");
            });
    assertThat(SchemaCheck.of(new SchemaState.Differs(), 9).level()).isEqualTo(Level.FAIL);
  }
}
