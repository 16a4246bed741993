package dev.hapax.bootstrap.remote;

import dev.hapax.v1.Payload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** JSON as it is typed, or {@code @FILE} that has it; the server says whether it is any. */
public final class PayloadText implements ITypeConverter<Payload> {
  public static final String LABEL = "JSON|@FILE";
  private static final String FILE = "@";

  @Override
  public Payload convert(String text) {
    return Payload.newBuilder()
        .setJson(text.startsWith(FILE) ? content(Path.of(text.substring(FILE.length()))) : text)
        .build();
  }

  private static String content(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new TypeConversionException("the file " + file + " cannot be read: " + e);
    }
  }
}
