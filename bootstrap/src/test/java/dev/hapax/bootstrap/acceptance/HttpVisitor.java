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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A visitor of the console with a session of its own. */
final class HttpVisitor {
  private static final Pattern TOKEN = Pattern.compile("name=\"form-token\" value=\"([^\"]+)\"");

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

  /** Sends a form with the token of its page. */
  HttpResponse<String> submit(String path, Map<String, String> fields) {
    var token = TOKEN.matcher(get(path).body());
    var all = new ArrayList<>(List.of("form-token=" + (token.find() ? token.group(1) : "")));
    fields.forEach((name, value) -> all.add(name + "=" + encoded(value)));
    return send(
        request(path)
            .header("Sec-Fetch-Site", "same-origin")
            .POST(BodyPublishers.ofString(all.stream().collect(Collectors.joining("&")))));
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
