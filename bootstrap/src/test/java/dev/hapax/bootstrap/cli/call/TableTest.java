package dev.hapax.bootstrap.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.call.Table.Column;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TableTest {
  private static Table list() {
    return Table.ofWidths(new Column("ID", 4), new Column("STATUS", 8), new Column("AGE", 3));
  }

  @Test
  @DisplayName("given a list, when its rows differ, then its columns stay where they are")
  void widthsDoNotDependOnRows() {
    var table = list();
    assertThat(table.lines()).containsExactly("ID    STATUS    AGE");

    table.add("a", "OK", "1s");
    table.add("longer", "OK", "1s");
    table.add("b", "FAILED", "2d");

    assertThat(table.lines())
        .containsExactly(
            "ID    STATUS    AGE",
            "a     OK        1s",
            "longer  OK        1s",
            "b     FAILED    2d");
  }

  @Test
  @DisplayName("given all rows of a thing, then columns are as wide as they need to be")
  void widthsOfRows() {
    var table = new Table("ID", "STATUS");
    table.add("longer", "OK");

    assertThat(table.lines()).containsExactly("ID      STATUS", "longer  OK");
  }
}
