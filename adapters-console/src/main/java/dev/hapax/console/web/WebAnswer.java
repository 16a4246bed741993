package dev.hapax.console.web;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An answer for the browser.
 *
 * @param headers with those that protect it
 */
@SuppressWarnings("ArrayRecordComponent") // it is sent once, and compared with no other
public record WebAnswer(int status, Map<String, String> headers, byte[] body) {
  private static final int NOT_MODIFIED = 304;
  private static final int SEE_OTHER = 303;
  private static final String HTML = "text/html; charset=utf-8";

  /** No script or style but that of the console runs, and no other site shows it in a frame. */
  private static final Map<String, String> SECURITY =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
              + " 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  public WebAnswer {
    var all = new TreeMap<>(SECURITY);
    all.putAll(headers);
    headers = Map.copyOf(all);
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  static WebAnswer html(int status, byte[] body) {
    return new WebAnswer(status, Map.of("Content-Type", HTML, "Cache-Control", "no-store"), body);
  }

  static WebAnswer file(String contentType, String etag, byte[] body) {
    return new WebAnswer(
        200, Map.of("Content-Type", contentType, "Cache-Control", "no-cache", "ETag", etag), body);
  }

  static WebAnswer seeOther(String path) {
    return new WebAnswer(
        SEE_OTHER, Map.of("Location", path, "Cache-Control", "no-store"), new byte[0]);
  }

  static WebAnswer notModified() {
    return new WebAnswer(NOT_MODIFIED, Map.of(), new byte[0]);
  }

  WebAnswer with(String header, String value) {
    var more = new TreeMap<>(headers);
    more.put(header, value);
    return new WebAnswer(status, more, body);
  }
}
