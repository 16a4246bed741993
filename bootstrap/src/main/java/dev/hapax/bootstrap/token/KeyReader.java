package dev.hapax.bootstrap.token;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads the keys of an issuer over HTTP; blocks its thread. */
final class KeyReader {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_BYTES = 256 * 1024;
  private static final int OK = 200;

  private final HttpClient http;
  private final TokenIssuer issuer;

  KeyReader(HttpClient http, TokenIssuer issuer) {
    this.http = http;
    this.issuer = issuer;
  }

  /** Returns at least one key; follows no redirect. */
  VerificationKeys read() throws IOException, InterruptedException {
    var uri =
        switch (issuer.keys()) {
          case KeyLocation.KeySet(var location) -> location;
          case KeyLocation.Discovery(var location) -> discovered(location);
        };
    try {
      var keys = VerificationKeys.of(JWKSet.parse(body(uri)));
      if (keys.isEmpty()) {
        throw new IOException("%s has no public key with a kid".formatted(uri));
      }
      return keys;
    } catch (ParseException e) {
      throw new IOException("%s is not a JWK set".formatted(uri), e);
    }
  }

  private URI discovered(URI location) throws IOException, InterruptedException {
    var text = body(location);
    try {
      var document = JSONObjectUtils.parse(text);
      if (!issuer.name().equals(JSONObjectUtils.getString(document, "issuer"))) {
        throw new IOException("%s is of another issuer".formatted(location));
      }
      var keys = JSONObjectUtils.getString(document, "jwks_uri");
      return KeyLocation.parse(keys == null ? "" : keys);
    } catch (ParseException e) {
      throw new IOException("%s is not a discovery document".formatted(location), e);
    } catch (IllegalArgumentException e) {
      throw new IOException("jwks_uri in %s %s".formatted(location, e.getMessage()), e);
    }
  }

  private String body(URI uri) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json, application/jwk-set+json")
            .timeout(TIMEOUT)
            .build();
    var handler = BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_BYTES);
    // the timeout of the request ends with the headers
    var pending = http.sendAsync(request, handler);
    try {
      return text(uri, pending.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      var cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("%s cannot be read: %s".formatted(uri, description(cause)), e);
    } finally {
      pending.cancel(true);
    }
  }

  private static String text(URI uri, HttpResponse<byte[]> response) throws IOException {
    if (response.statusCode() != OK) {
      throw new IOException(
          String.format(Locale.ROOT, "%s answered HTTP %d", uri, response.statusCode()));
    }
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static String description(Throwable cause) {
    return switch (cause) {
      case TimeoutException _ ->
          String.format(Locale.ROOT, "no answer within %d s", TIMEOUT.toSeconds());
      case Throwable _ when cause.getMessage() != null -> cause.getMessage();
      default -> cause.getClass().getSimpleName();
    };
  }
}
