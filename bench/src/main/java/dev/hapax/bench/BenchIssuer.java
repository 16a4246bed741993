package dev.hapax.bench;

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
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

/** An issuer of tokens on this machine. */
final class BenchIssuer implements AutoCloseable {
  private static final String AUDIENCE = "hapax";
  private static final Duration LIFETIME = Duration.ofHours(6);

  private final RSAKey key;
  private final HttpServer http;

  private BenchIssuer(RSAKey key, HttpServer http) {
    this.key = key;
    this.http = http;
  }

  static BenchIssuer start() throws JOSEException, IOException {
    var key = new RSAKeyGenerator(2048).keyID("bench").keyUse(KeyUse.SIGNATURE).generate();
    var published = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
    var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, published.length);
            exchange.getResponseBody().write(published);
          }
        });
    http.start();
    return new BenchIssuer(key, http);
  }

  private String name() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** Writes the file of a server that trusts this issuer. */
  Path trustIn(Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("issuers.conf"),
        """
        issuer = %s
        jwks = %s/keys
        audience = %s
        claim sub = bench -> role=admin workspace=*
        """
            .formatted(name(), name(), AUDIENCE));
  }

  String token() throws JOSEException {
    var header =
        new JWSHeader.Builder(JWSAlgorithm.RS256)
            .type(JOSEObjectType.JWT)
            .keyID(key.getKeyID())
            .build();
    var claims =
        new JWTClaimsSet.Builder()
            .issuer(name())
            .audience(AUDIENCE)
            .subject("bench")
            .expirationTime(Date.from(Instant.now().plus(LIFETIME)))
            .build();
    var token = new SignedJWT(header, claims);
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
