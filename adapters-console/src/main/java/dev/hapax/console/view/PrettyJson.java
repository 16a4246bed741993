package dev.hapax.console.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;

/** JSON with line breaks. Numbers keep their digits: none becomes a floating-point number. */
final class PrettyJson {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNumberLength(Integer.MAX_VALUE).build())
          .build();

  private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");
  private static final Separators SEPARATORS =
      Separators.createDefaultInstance()
          .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
          .withObjectEmptySeparator("")
          .withArrayEmptySeparator("");

  private PrettyJson() {}

  /** Returns the text as it is if it is no JSON. */
  static String of(String json) {
    var text = new StringWriter();
    try (var in = JSON.createParser(json);
        var out = JSON.createGenerator(text)) {
      out.setPrettyPrinter(
          new DefaultPrettyPrinter(SEPARATORS)
              .withArrayIndenter(INDENTER)
              .withObjectIndenter(INDENTER));
      for (var token = in.nextToken(); token != null; token = in.nextToken()) {
        if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
          out.writeNumber(number(in));
        } else {
          out.copyCurrentEvent(in);
        }
      }
    } catch (IOException _) {
      return json;
    }
    return text.toString();
  }

  private static String number(JsonParser in) throws IOException {
    return in.getText();
  }
}
