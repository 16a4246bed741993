package dev.hapax.servlet;

import com.google.protobuf.ByteString;
import jakarta.servlet.http.Part;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of an HTML form.
 *
 * @param boundary of the parts; empty if there are none
 */
record FormBody(Kind kind, String boundary, Charset charset) {

  /** What a body is, by its content type. */
  enum Kind {
    URLENCODED,
    MULTIPART,
    OTHER
  }

  private static final String LINE = "\r\n";

  static FormBody of(@Nullable String contentType, @Nullable String charset) {
    HeaderValue type = HeaderValue.parse(contentType == null ? "" : contentType);
    Charset chosen = charset == null ? StandardCharsets.UTF_8 : Charset.forName(charset);
    return switch (type.value().toLowerCase(Locale.ROOT)) {
      case "application/x-www-form-urlencoded" -> new FormBody(Kind.URLENCODED, "", chosen);
      case "multipart/form-data" ->
          new FormBody(Kind.MULTIPART, type.parameter("boundary").orElse(""), chosen);
      default -> new FormBody(Kind.OTHER, "", chosen);
    };
  }

  /** The parameters of the query, then those of the body. */
  Map<String, String[]> parameters(@Nullable String query, WholeBody body, List<Part> parts) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    addPairs(query == null ? "" : query, StandardCharsets.UTF_8, all);
    if (kind == Kind.URLENCODED) {
      addPairs(body.bytes().toString(StandardCharsets.ISO_8859_1), charset, all);
    }
    for (Part part : parts) {
      if (part.getSubmittedFileName() == null) {
        all.computeIfAbsent(part.getName(), any -> new ArrayList<>())
            .add(((FormPart) part).text(charset));
      }
    }
    Map<String, String[]> parameters = new LinkedHashMap<>();
    all.forEach((name, values) -> parameters.put(name, values.toArray(new String[0])));
    return parameters;
  }

  private static void addPairs(String text, Charset charset, Map<String, List<String>> to) {
    for (String pair : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decoded(equals < 0 ? pair : pair.substring(0, equals), charset);
      if (!pair.isEmpty()) {
        to.computeIfAbsent(name, any -> new ArrayList<>())
            .add(equals < 0 ? "" : decoded(pair.substring(equals + 1), charset));
      }
    }
  }

  private static String decoded(String text, Charset charset) {
    try {
      return URLDecoder.decode(text, charset);
    } catch (IllegalArgumentException notEncoded) {
      return text;
    }
  }

  /**
   * The parts of a multipart body.
   *
   * @param folder of files with a relative name
   * @throws IllegalArgumentException if it is none
   */
  List<Part> parts(WholeBody body, Path folder) {
    if (boundary.isEmpty()) {
      throw new IllegalArgumentException("the content type has no boundary");
    }
    // as Latin-1 each character is one byte
    String text = LINE + body.bytes().toString(StandardCharsets.ISO_8859_1);
    String delimiter = LINE + "--" + boundary;
    List<Part> parts = new ArrayList<>();
    int at = text.indexOf(delimiter);
    while (at >= 0) {
      int begin = at + delimiter.length();
      if (text.startsWith("--", begin)) {
        return parts;
      }
      int headers = text.indexOf(LINE, begin);
      int next = text.indexOf(delimiter, begin);
      int content = text.indexOf(LINE + LINE, headers);
      if (headers < 0 || next < 0 || content < 0 || content >= next) {
        break;
      }
      int from = content + 2 * LINE.length();
      parts.add(
          new FormPart(
              PartHeaders.parse(text.substring(headers, content)),
              ByteString.copyFrom(
                  text.substring(Math.min(from, next), next), StandardCharsets.ISO_8859_1),
              folder));
      at = next;
    }
    throw new IllegalArgumentException("the multipart body is incomplete");
  }
}
