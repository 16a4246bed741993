package dev.hapax.servlet;

import dev.hapax.client.Codec;
import dev.hapax.client.Value;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A response as it is recorded, in the JSON that all kits share.
 *
 * @param body in base64
 * @param error the text of {@code sendError}, whose body the container makes; null = not called
 */
record StoredResponse(int status, List<Header> headers, String body, @Nullable String error) {

  /** One value of a header. */
  record Header(String name, String value) {}

  /** A response that was streamed. */
  static final StoredResponse NOT_KEPT = new StoredResponse(0, List.of(), "", null);

  static final Codec<StoredResponse> CODEC =
      Codec.of(response -> new Value.Json(response.json()), StoredResponse::read);

  /** Of the connection that carried the response, not of the response. */
  private static final Set<String> OF_CONNECTION =
      Set.of("connection", "content-length", "date", "keep-alive", "transfer-encoding");

  private static final String COOKIE = "Set-Cookie";

  StoredResponse {
    headers = List.copyOf(headers);
  }

  static boolean isOfConnection(String name) {
    return OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT));
  }

  String json() {
    if (this.equals(NOT_KEPT)) {
      return "{\"@type\":\"hapax.dev/result-not-retained\"}";
    }
    String pairs =
        headers.stream()
            .map(
                each ->
                    "["
                        + ResponseJson.quoted(each.name)
                        + ","
                        + ResponseJson.quoted(each.value)
                        + "]")
            .collect(Collectors.joining(","));
    return "{\"status\":"
        + status
        + ",\"headers\":["
        + pairs
        + "],\"body\":\""
        + body
        + (error == null ? "\"}" : "\",\"error\":" + ResponseJson.quoted(error) + "}");
  }

  static StoredResponse read(@Nullable Value stored) {
    if (stored instanceof Value.Json json
        && ResponseJson.read(json.text()) instanceof Map<?, ?> members
        && members.get("status") instanceof Double status
        && members.get("headers") instanceof List<?> pairs
        && members.get("body") instanceof String body) {
      List<Header> headers = new ArrayList<>();
      for (Object pair : pairs) {
        headers.add(header(pair));
      }
      return new StoredResponse(
          status.intValue(),
          headers,
          body,
          members.get("error") instanceof String error ? error : null);
    }
    throw new IllegalArgumentException("the recorded result is no response");
  }

  private static Header header(@Nullable Object pair) {
    if (pair instanceof List<?> both
        && both.size() == 2
        && both.get(0) instanceof String name
        && both.get(1) instanceof String value) {
      return new Header(name, value);
    }
    throw new IllegalArgumentException("a header of the recorded response is no pair of texts");
  }

  /** Sends the response as a replay. */
  void replay(HttpServletResponse wire) throws IOException {
    Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (Header header : headers) {
      if (isOfConnection(header.name)) {
        continue;
      }
      // a cookie does not replace those of outer filters
      if (seen.add(header.name) && !COOKIE.equalsIgnoreCase(header.name)) {
        wire.setHeader(header.name, header.value);
      } else {
        wire.addHeader(header.name, header.value);
      }
    }
    wire.setHeader("Idempotent-Replayed", "true");
    byte[] content = Base64.getDecoder().decode(body);
    if (error == null) {
      wire.setStatus(status);
      RecordedResponse.write(wire, content, content.length);
    } else if (error.isEmpty()) {
      wire.sendError(status);
    } else {
      wire.sendError(status, error);
    }
  }
}
