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

/** JSON as it is typed, or {@code @FILE} that has it. */
public final class PayloadText implements ITypeConverter<Payload> {
  public static final String LABEL = "JSON|@FILE";
  private static final String FILE = "@";

  @Override
  public Payload convert(String text) {
    return text.startsWith(FILE)
        ? ofFile(Path.of(text.substring(FILE.length())))
        : payload(text, "the text");
  }

  private static Payload ofFile(Path file) {
    return payload(content(file), "the file " + file);
  }

  /** Checked here too, so that the answer names the place also when no server is there. */
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
