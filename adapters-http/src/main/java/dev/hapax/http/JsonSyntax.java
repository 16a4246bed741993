package dev.hapax.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;

/**
 * Checks that a text is one JSON value before a message is made of it. The parser of messages would
 * ignore what follows the value, and take the last of several fields with one name.
 */
final class JsonSyntax {
  /** As many as the parser of messages allows. */
  static final int MAX_DEPTH = 100;

  private static final int MAX_NUMBER = 1_000;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER)
                  .maxStringLength(RequestBody.MAX_BYTES)
                  .build())
          .build();

  private JsonSyntax() {}

  /** Returns what is wrong with the text, if it is not one JSON value. */
  static Optional<String> problem(String text) {
    try (var parser = JSON.createParser(text)) {
      return problem(parser);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<String> problem(JsonParser parser) throws IOException {
    try {
      if (parser.nextToken() == null) {
        return Optional.of("is empty; send {} for a message without fields");
      }
      parser.skipChildren();
      return parser.nextToken() == null
          ? Optional.empty()
          : Optional.of("has more after the end of the JSON, at " + place(parser));
    } catch (StreamConstraintsException _) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "is nested deeper than %d, or has a number of more than %d digits, at %s",
              MAX_DEPTH,
              MAX_NUMBER,
              place(parser)));
    } catch (JsonParseException e) {
      return Optional.of(
          (e.getOriginalMessage().startsWith("Duplicate field")
                  ? "has a field twice"
                  : "is not JSON")
              + ", at "
              + place(parser));
    }
  }

  private static String place(JsonParser parser) {
    var at = parser.currentLocation();
    return String.format(Locale.ROOT, "line %d, column %d", at.getLineNr(), at.getColumnNr());
  }
}
