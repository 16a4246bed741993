package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An issuer of tokens that a test can rotate, break and stop. */
public final class FakeIssuer implements AutoCloseable {
  public static final String AUDIENCE = "hapax";

  /** What it does with a request. */
  public interface Behavior {
    void answer(FakeIssuer issuer, HttpExchange exchange) throws IOException;
  }

  static final Behavior KEYS = (issuer, exchange) -> issuer.send(exchange, 200, issuer.keySet());

  /** The keys of all issuers by their ids: to make one takes a second. */
  private static final ConcurrentMap<String, RSAKey> MADE = new ConcurrentHashMap<>();

  private final HttpServer http;
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicInteger requests = new AtomicInteger();
  private volatile RSAKey key;
  private volatile Behavior behavior = KEYS;

  public FakeIssuer() throws Exception {
    key = MADE.computeIfAbsent("first", FakeIssuer::newKey);
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    http.createContext("/", this::handle);
    http.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    try (exchange) {
      behavior.answer(this, exchange);
    }
  }

  void send(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Hangs until this issuer is released or closed. */
  public static void hang(FakeIssuer issuer, HttpExchange exchange) throws IOException {
    try {
      issuer.released.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    KEYS.answer(issuer, exchange);
  }

  public void behave(Behavior next) {
    behavior = next;
  }

  public void release() {
    behavior = KEYS;
    released.countDown();
  }

  int requests() {
    return requests.get();
  }

  public String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  String keySet() {
    return new JWKSet(key.toPublicJWK()).toString();
  }

  /** The file of this issuer, whose claim {@code groups} leads to a grant. */
  public Path configure(Path folder, String grant) throws IOException {
    return Files.writeString(
        folder.resolve("issuers.conf"),
        """
        issuer = %s
        jwks = %s/keys
        audience = %s
        claim groups = %s
        """
            .formatted(url(), url(), AUDIENCE, grant));
  }

  public RSAKey key() {
    return key;
  }

  /** Replaces the key. */
  public void rotate(String kid) {
    key = MADE.computeIfAbsent(kid, FakeIssuer::newKey);
  }

  /** A key that no issuer has. */
  public static RSAKey newKey(String kid) {
    try {
      return new RSAKeyGenerator(2048).keyID(kid).keyUse(KeyUse.SIGNATURE).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The claims of a valid token, to be changed. */
  public JWTClaimsSet.Builder claims(Instant expiresAt) {
    return new JWTClaimsSet.Builder()
        .issuer(url())
        .audience(AUDIENCE)
        .subject("alice")
        .claim("groups", "ops")
        .expirationTime(Date.from(expiresAt));
  }

  public JWSHeader.Builder header() {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).type(JOSEObjectType.JWT).keyID(key.getKeyID());
  }

  public String sign(JWTClaimsSet.Builder claims) throws JOSEException {
    return sign(header(), claims, key);
  }

  public static String sign(JWSHeader.Builder header, JWTClaimsSet.Builder claims, RSAKey with)
      throws JOSEException {
    var token = new SignedJWT(header.build(), claims.build());
    token.sign(new RSASSASigner(with));
    return token.serialize();
  }

  @Override
  public void close() {
    release();
    http.stop(0);
  }
}
