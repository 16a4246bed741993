package dev.hapax.bootstrap.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import org.junit.jupiter.api.Test;

class SchemaCheckTest {

  @Test
  void comparesVersionsAsNumbers() {
    assertThat(SchemaCheck.compare("", "003").level()).isEqualTo(Level.OK);
    assertThat(SchemaCheck.compare("003", "003").level()).isEqualTo(Level.OK);
    assertThat(SchemaCheck.compare("9", "010").text()).contains("`hapax migrate` upgrades it");
    assertThat(SchemaCheck.compare("10", "9").level()).isEqualTo(Level.WARN);
  }
}
