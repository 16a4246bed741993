package dev.hapax.bootstrap.acceptance;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A visitor of the console with a session of its own. */
final class HttpVisitor {
  private static final Pattern HIDDEN =
      Pattern.compile("<input type=\"hidden\" name=\"([^\"]+)\" value=\"([^\"]*)\"");

  private final HttpClient http;
  private final URI console;
  private String cookie = "";

  HttpVisitor(HttpClient http, String console) {
    this.http = http;
    this.console = URI.create(console);
  }

  HttpResponse<String> get(String path, String... headers) {
    var request = request(path).GET();
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  /** Sends a form with the hidden fields of its page. */
  HttpResponse<String> submit(String path, Map<String, String> fields) {
    return submit(path, path, fields);
  }

  /** Sends a form with the hidden fields of its page to another address. */
  HttpResponse<String> submit(String page, String action, Map<String, String> fields) {
    var all = new LinkedHashMap<String, String>();
    HIDDEN
        .matcher(get(page).body())
        .results()
        .forEach(field -> all.put(field.group(1), field.group(2)));
    all.putAll(fields);
    var form =
        all.entrySet().stream()
            .map(field -> field.getKey() + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
    return send(
        request(action)
            .header("Sec-Fetch-Site", "same-origin")
            .POST(BodyPublishers.ofString(form)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(console.resolve(path)).timeout(Duration.ofSeconds(30));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      if (!cookie.isEmpty()) {
        request.header("Cookie", cookie);
      }
      var answer = http.send(request.build(), BodyHandlers.ofString());
      answer.headers().allValues("Set-Cookie").forEach(set -> cookie = set.split(";", 2)[0]);
      return answer;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
