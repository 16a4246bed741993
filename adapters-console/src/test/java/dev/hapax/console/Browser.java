package dev.hapax.console;

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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Requests as a browser makes them, with cookies and without following redirects. */
final class Browser implements AutoCloseable {
  private static final Pattern TOKEN = Pattern.compile("name=\"form-token\" value=\"([^\"]+)\"");

  private final String origin;
  private final HttpClient client = HttpClient.newHttpClient();

  /** That of the JDK sends cookies with a lifetime in the form of RFC 2965, as no browser does. */
  private final Map<String, String> cookies = new ConcurrentHashMap<>();

  Browser(String origin) {
    this.origin = origin;
  }

  HttpResponse<String> get(String path, String... headers) {
    var request = request(path).GET();
    return headers.length == 0 ? send(request) : send(request.headers(headers));
  }

  HttpResponse<String> method(String method, String path) {
    return send(request(path).method(method, BodyPublishers.noBody()));
  }

  /** Sends the form of a page as its button does. */
  HttpResponse<String> submit(String path, Map<String, String> fields) {
    return post(path, token(path), fields, "Sec-Fetch-Site", "same-origin");
  }

  HttpResponse<String> post(
      String path, String token, Map<String, String> fields, String... headers) {
    var form =
        fields.entrySet().stream()
            .map(field -> "&" + field.getKey() + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("", "form-token=" + encoded(token), ""));
    var request =
        request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form));
    return headers.length == 0 ? send(request) : send(request.headers(headers));
  }

  /** Returns the token in the forms of a page; empty = the page has no form. */
  String token(String path) {
    var matcher = TOKEN.matcher(get(path).body());
    return matcher.find() ? matcher.group(1) : "";
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(origin + path)).timeout(Duration.ofSeconds(20));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      if (!cookies.isEmpty()) {
        request.header("Cookie", cookie());
      }
      var answer = client.send(request.build(), BodyHandlers.ofString());
      answer.headers().allValues("Set-Cookie").forEach(this::keep);
      return answer;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private String cookie() {
    return cookies.entrySet().stream()
        .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
        .collect(Collectors.joining("; "));
  }

  private void keep(String header) {
    var cookie = header.split(";", 2)[0].split("=", 2);
    cookies.put(cookie[0], cookie[1]);
  }

  @Override
  public void close() {
    client.close();
  }
}
