package dev.hapax.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of reasons on the page of errors is made of the comments of ErrorReason. */
class ErrorPageTest {
  private static final Path PAGE = Path.of("../docs/errors.md");
  private static final String REASON = "hapax.v1.ErrorReason.ERROR_REASON_";
  private static final String HEAD = "| reason | status code | meaning |\n|---|---|---|\n";

  @Test
  @DisplayName("the page of errors says what the comments of ErrorReason say")
  void fresh() throws IOException {
    var text = Files.readString(PAGE);
    var start = text.indexOf(HEAD) + HEAD.length();
    assertThat(text).contains(HEAD);
    var end = text.indexOf("\n\n", start) + 1;
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, text.substring(0, start) + table() + text.substring(end));
    } else {
      assertThat(text.substring(start, end))
          .as("docs/errors.md is written by ./dev docs write")
          .isEqualTo(table());
    }
  }

  private static String table() {
    return Api.elements().stream()
        .filter(element -> element.name().startsWith(REASON))
        .filter(element -> !element.name().endsWith("_UNSPECIFIED"))
        .map(ErrorPageTest::row)
        .collect(Collectors.joining());
  }

  /** A comment is the status code, a colon, and the meaning. */
  private static String row(Api.Element reason) {
    var comment = reason.comment().replace("|", "\\|").split(": ", 2);
    return "| `%s` | %s | %s |\n"
        .formatted(
            reason.name().substring(REASON.length()),
            comment[0],
            Character.toUpperCase(comment[1].charAt(0)) + comment[1].substring(1));
  }
}
