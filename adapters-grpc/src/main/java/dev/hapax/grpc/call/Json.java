package dev.hapax.grpc.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Checks that text is JSON; what it says is not looked at. */
final class Json {
  private static final int MAX_DEPTH = 64;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Payload.MAX_BYTES)
                  .maxStringLength(Payload.MAX_BYTES)
                  .maxNameLength(Payload.MAX_BYTES)
                  .build())
          .build();

  private Json() {}

  static String check(String text) {
    try (var parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new InvalidValueException("is empty, which is not JSON");
      }
      parser.skipChildren();
      if (parser.nextToken() != null) {
        throw new InvalidValueException("has something behind its JSON value");
      }
      return text;
    } catch (StreamConstraintsException e) {
      throw new InvalidValueException("is nested deeper than " + MAX_DEPTH);
    } catch (JsonProcessingException e) {
      var place = e.getLocation();
      throw new InvalidValueException(
          "is not JSON at line %d, column %d".formatted(place.getLineNr(), place.getColumnNr()));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }
}
