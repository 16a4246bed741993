package dev.hapax.console.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The style sheet, the script and the icon. */
final class StaticFiles {
  private final Map<String, WebAnswer> files =
      Map.of(
          "/console.css", read("console.css", "text/css; charset=utf-8"),
          "/console.js", read("console.js", "text/javascript; charset=utf-8"),
          "/icon.svg", read("icon.svg", "image/svg+xml"));

  private static WebAnswer read(String name, String type) {
    try (var file = StaticFiles.class.getResourceAsStream("/dev/hapax/console/static/" + name)) {
      var body = Objects.requireNonNull(file, name).readAllBytes();
      var hash = KeyedHash.sha256(new String(body, StandardCharsets.UTF_8));
      return WebAnswer.file(type, "\"" + hash + "\"", body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<WebAnswer> find(String path) {
    return Optional.ofNullable(files.get(path));
  }
}
