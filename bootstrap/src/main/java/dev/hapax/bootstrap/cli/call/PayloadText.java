package dev.hapax.bootstrap.cli.call;

import dev.hapax.bootstrap.config.FileErrors;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.grpc.call.JsonDocument;
import dev.hapax.v1.Payload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a payload from JSON or from {@code @FILE}. */
public final class PayloadText implements ITypeConverter<Payload> {
  public static final String LABEL = "JSON|@FILE";
  private static final String FILE = "@";

  @Override
  public Payload convert(String text) {
    return text.startsWith(FILE)
        ? ofFile(Path.of(text.substring(FILE.length())))
        : payload(text, "the value");
  }

  private static Payload ofFile(Path file) {
    return payload(content(file), "the file " + file);
  }

  /** Validates the JSON locally, so that the error has its position without a server. */
  private static Payload payload(String json, String origin) {
    try {
      var _ = JsonDocument.parse(json);
    } catch (InvalidValueException e) {
      throw new TypeConversionException(origin + " " + e.rule());
    }
    return Payload.newBuilder().setJson(json).build();
  }

  private static String content(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new TypeConversionException("the file " + file + " " + FileErrors.describe(file, e));
    }
  }
}
