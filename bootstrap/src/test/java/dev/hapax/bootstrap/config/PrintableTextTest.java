package dev.hapax.bootstrap.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PrintableTextTest {
  @Test
  @DisplayName("given invisible characters, then a printed text shows them [security-N2]")
  void escapes() throws IOException {
    var text = "a\u202Eb\u2028c\u2029d\u00ADe\u200Bf\uDB40\uDC41g\u0085h";
    var escaped = "a\\u202eb\\u2028c\\u2029d\\u00ade\\u200bf\\udb40\\udc41g\\u0085h";
    assertThat(PrintableText.escape(text)).isEqualTo(escaped);
    var out = new StringWriter();
    try (var writer = PrintableText.escaping(out)) {
      writer.write(text);
      writer.write(text.toCharArray());
      writer.write('\u202E');
    }
    assertThat(out).hasToString(escaped + escaped + "\\u202e");
  }

  @Test
  @DisplayName("given other texts, then they are printed as they are")
  void keeps() {
    for (var text : new String[] {"", "order/ä", "\uD83D\uDE00", "a\tb\n", "\u001B[1mbold"}) {
      assertThat(PrintableText.escape(text)).isSameAs(text);
    }
  }

  @Test
  @DisplayName("given a value that could end a field, then it is quoted [security-N2]")
  void quotes() {
    for (var name : new String[] {"order", "orders/Place", "Mail@9468787b", "ä.b:c-1_2"}) {
      assertThat(PrintableText.quote(name)).isEqualTo(name);
    }
    assertThat(PrintableText.quote("")).isEqualTo("\"\"");
    assertThat(PrintableText.quote("x, step a")).isEqualTo("\"x, step a\"");
    assertThat(PrintableText.quote("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
    assertThat(PrintableText.quote("a\u202Eb")).isEqualTo("\"a\\u202eb\"");
    assertThat(PrintableText.quote("a\u2028b")).isEqualTo("\"a\\u2028b\"");
    assertThat(PrintableText.quote("a\u00A0b")).isEqualTo("\"a\u00A0b\"");
  }
}
