package dev.hapax.bootstrap.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {
  private final StringWriter err = new StringWriter();

  private Terminal terminal(boolean interactive, String typed) {
    return new Terminal(interactive, new StringReader(typed), new PrintWriter(err));
  }

  @ParameterizedTest
  @CsvSource({"y, true", "YES, true", "n, false", "'', false", "yesterday, false"})
  @DisplayName("given a question, then only y and yes confirm it")
  void asks(String typed, boolean expected) throws IOException {
    assertThat(terminal(true, typed + "\n").confirms("cancel 2 runs?")).isEqualTo(expected);
    assertThat(err.toString()).isEqualTo("cancel 2 runs? [y/N] ");
  }

  @Test
  @DisplayName("given the end of the input, then a question is not confirmed")
  void endOfInput() throws IOException {
    assertThat(terminal(true, "").confirms("cancel?")).isFalse();
  }

  @Test
  @DisplayName("given a terminal, when progress is made, then one bar grows; a script gets lines")
  void progress() {
    var person = terminal(true, "");
    person.progress(100, 200);
    person.progress(200, 200);
    assertThat(err.toString())
        .isEqualTo(
            "\r[%s%s] 100 of 200\r[%s] 200 of 200\n"
                .formatted("#".repeat(15), " ".repeat(15), "#".repeat(30)));

    err.getBuffer().setLength(0);
    terminal(false, "").progress(100, 200);
    assertThat(err.toString()).isEqualTo("100 of 200\n");
  }
}
