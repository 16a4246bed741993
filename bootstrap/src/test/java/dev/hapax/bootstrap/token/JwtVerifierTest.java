package dev.hapax.bootstrap.token;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.JwtClaimGrant;
import dev.hapax.domain.security.JwtClaimPath;
import dev.hapax.domain.security.JwtRules;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("A5")
class JwtVerifierTest {
  private static final Refused REFUSED = new Refused(Reason.TOKEN);

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final List<AutoCloseable> open = new ArrayList<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("dev.hapax.bootstrap.token");
  private FakeIssuer issuer;

  JwtVerifierTest() throws Exception {
    issuer = new FakeIssuer();
  }

  @BeforeEach
  void listen() {
    log.setLevel(Level.DEBUG);
    logged.start();
    log.addAppender(logged);
  }

  @AfterEach
  void close() throws Exception {
    log.detachAppender(logged);
    log.setLevel(null);
    issuer.close();
    for (var each : open) {
      each.close();
    }
  }

  @Test
  @DisplayName("given a token of a trusted issuer, then it is a principal with its grants")
  void accepts() throws Exception {
    var verifier = ready();

    var caller = (Authenticated) now(verifier, issuer.sign(issuer.claims(inAnHour())));

    assertThat(caller.principal()).hasToString("token:alice");
    assertThat(caller.principal().grants()).hasToString("[role=operator workspace=*]");
    assertThat(caller.expiresAt()).isEqualTo(inAnHour().plusSeconds(60));
  }

  @Test
  @DisplayName("given a token of another issuer or audience, or without exp, then it is refused")
  void claims() throws Exception {
    var verifier = ready();
    var tokens = new LinkedHashMap<String, String>();
    tokens.put("audience", issuer.sign(issuer.claims(inAnHour()).audience("billing")));
    tokens.put("no audience", issuer.sign(issuer.claims(inAnHour()).audience((String) null)));
    tokens.put("issuer", issuer.sign(issuer.claims(inAnHour()).issuer(issuer.url() + "/")));
    tokens.put("no issuer", issuer.sign(issuer.claims(inAnHour()).issuer(null)));
    tokens.put("no exp", issuer.sign(issuer.claims(inAnHour()).expirationTime(null)));
    tokens.put("no subject", issuer.sign(issuer.claims(inAnHour()).subject(null)));
    tokens.put("nbf", issuer.sign(issuer.claims(inAnHour()).notBeforeTime(Date.from(inAnHour()))));

    tokens.forEach((name, token) -> assertThat(now(verifier, token)).as(name).isEqualTo(REFUSED));
  }

  @Test
  @DisplayName(
      "given an exp or nbf so far ahead that it overflows, then it is no other time, and the token"
          + " is refused [security-N1]")
  void farFuture() throws Exception {
    var verifier = ready();
    for (var seconds :
        List.<Number>of(
            4_102_444_801L,
            253_402_300_800L,
            1_000_000_000_000_000_000L,
            Long.MAX_VALUE,
            1e300,
            // milliseconds that overflow to an hour from now
            18_446_744_073_709_551L + inAnHour().getEpochSecond() + 1)) {
      for (var name : List.of("exp", "nbf")) {
        var payload = new LinkedHashMap<>(issuer.claims(inAnHour()).build().toJSONObject());
        payload.put(name, seconds);
        var token = new JWSObject(issuer.header().build(), new Payload(payload));
        token.sign(new RSASSASigner(issuer.key()));
        assertThat(now(verifier, token.serialize())).as("%s: %s", name, seconds).isEqualTo(REFUSED);
      }
    }
  }

  @Test
  @DisplayName("given claims of any shape, then a token is refused or accepted, without an error")
  void shapes() throws Exception {
    var verifier = ready();
    var values =
        new ArrayList<Object>(List.of("x", 1, -1.5, true, List.of(), Map.of(), List.of(1)));
    values.add(null);
    values.add(Arrays.asList("ops", null));
    values.add(Collections.singletonMap("a", null));
    for (var name : List.of("iss", "aud", "exp", "nbf", "sub", "groups", "jti", "iat")) {
      for (var value : values) {
        var payload = new LinkedHashMap<>(issuer.claims(inAnHour()).build().toJSONObject());
        payload.put(name, value);
        var token = new JWSObject(issuer.header().build(), new Payload(payload));
        token.sign(new RSASSASigner(issuer.key()));
        assertThat(now(verifier, token.serialize())).as("%s: %s", name, value).isNotNull();
      }
    }
  }

  @Test
  @DisplayName("given a token that is not signed by its issuer's key, then it is refused")
  void signatures() throws Exception {
    var verifier = ready();
    var valid = issuer.sign(issuer.claims(inAnHour()));
    var other = FakeIssuer.newKey("first");
    var parts = valid.split("\\.");
    var tokens = new LinkedHashMap<String, String>();
    tokens.put("none", new PlainJWT(issuer.claims(inAnHour()).build()).serialize());
    tokens.put(
        "none with a signature",
        header("{\"alg\":\"none\",\"typ\":\"JWT\",\"kid\":\"first\"}", parts));
    tokens.put("NONE", header("{\"alg\":\"NONE\",\"typ\":\"JWT\",\"kid\":\"first\"}", parts));
    tokens.put("HS256 with the public key", hmac(issuer.key().toRSAPublicKey().getEncoded()));
    tokens.put(
        "HS256 with the JWK",
        hmac(issuer.key().toPublicJWK().toString().getBytes(StandardCharsets.UTF_8)));
    tokens.put("other key", FakeIssuer.sign(issuer.header(), issuer.claims(inAnHour()), other));
    tokens.put(
        "key in the header",
        FakeIssuer.sign(
            issuer.header().jwk(other.toPublicJWK()), issuer.claims(inAnHour()), other));
    tokens.put(
        "algorithm",
        FakeIssuer.sign(
            new JWSHeader.Builder(JWSAlgorithm.RS512).type(JOSEObjectType.JWT).keyID("first"),
            issuer.claims(inAnHour()),
            issuer.key()));
    tokens.put("EC key with the id of the RSA key", ecdsa());
    tokens.put("other claims", parts[0] + "." + claims("mallory") + "." + parts[2]);
    tokens.put("no signature", parts[0] + "." + parts[1] + ".");
    tokens.put("critical header", critical());
    tokens.put(
        "no kid",
        FakeIssuer.sign(issuer.header().keyID(null), issuer.claims(inAnHour()), issuer.key()));
    tokens.put(
        "no typ",
        FakeIssuer.sign(issuer.header().type(null), issuer.claims(inAnHour()), issuer.key()));
    tokens.put(
        "logout token",
        FakeIssuer.sign(
            issuer.header().type(new JOSEObjectType("logout+jwt")),
            issuer.claims(inAnHour()),
            issuer.key()));
    tokens.put("five parts", valid + ".a.b");
    tokens.put("empty", "");
    tokens.put("dots", "..");
    tokens.put("nested", header("[".repeat(3_000), parts));

    tokens.forEach(
        (name, token) -> assertThat(settled(verifier, token)).as(name).isInstanceOf(Refused.class));
    assertThat(settled(verifier, tokens.get("other key")))
        .as("only this one is counted")
        .isEqualTo(new Refused(Reason.SIGNATURE));
    assertThat(now(verifier, valid)).isInstanceOf(Authenticated.class);
  }

  @Test
  @DisplayName("given a valid token with other text in or around it, then it is no token")
  void otherText() throws Exception {
    var verifier = ready();
    var valid = issuer.sign(issuer.claims(inAnHour()));
    var signature = valid.lastIndexOf('.') + 1;
    var tokens = new ArrayList<String>();
    for (var junk :
        List.of(" ", "\t", "\n", "\r\n", "\0", "=", "+", "/", "$", ",", "é", "\u200b")) {
      for (var at :
          List.of(0, 1, valid.indexOf('.') + 1, signature, signature + 9, valid.length())) {
        tokens.add(valid.substring(0, at) + junk + valid.substring(at));
      }
    }
    tokens.addAll(
        List.of(valid + ".", valid + "..", "." + valid, valid + "." + valid, valid + ".a.b"));
    tokens.addAll(List.of("..", "a..", ".a.", "..a", "a.b", "a.b.", "\"" + valid + "\""));
    tokens.add("{\"payload\":\"%s\"}".formatted(valid));
    tokens.add("a".repeat(8_000));
    tokens.add("a.".repeat(4_000));

    assertThat(tokens)
        .allSatisfy(
            token -> {
              assertThat(ReceivedToken.parse(token)).isEmpty();
              assertThat(now(verifier, token)).isEqualTo(REFUSED);
            });
    assertThat(now(verifier, valid)).isInstanceOf(Authenticated.class);
  }

  private String hmac(byte[] secret) throws Exception {
    var token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256)
                .type(JOSEObjectType.JWT)
                .keyID("first")
                .build(),
            issuer.claims(inAnHour()).build());
    token.sign(new MACSigner(secret));
    return token.serialize();
  }

  private String ecdsa() throws Exception {
    var token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256)
                .type(JOSEObjectType.JWT)
                .keyID("first")
                .build(),
            issuer.claims(inAnHour()).build());
    token.sign(new ECDSASigner(new ECKeyGenerator(Curve.P_256).generate()));
    return token.serialize();
  }

  private String critical() throws Exception {
    return FakeIssuer.sign(
        issuer.header().criticalParams(Set.of("other")).customParam("other", "x"),
        issuer.claims(inAnHour()),
        issuer.key());
  }

  private Base64URL claims(String subject) {
    return new Payload(issuer.claims(inAnHour()).subject(subject).build().toJSONObject())
        .toBase64URL();
  }

  private static String header(String json, String... parts) {
    return Base64URL.encode(json) + "." + parts[1] + "." + parts[2];
  }

  @Test
  @DisplayName("given an access token of RFC 9068, then its typ is accepted in both forms")
  void accessToken() throws Exception {
    var verifier = ready();
    for (var type : List.of("at+jwt", "application/at+jwt", "AT+JWT")) {
      var header = issuer.header().type(new JOSEObjectType(type));
      var token = FakeIssuer.sign(header, issuer.claims(inAnHour()), issuer.key());
      assertThat(now(verifier, token)).as(type).isInstanceOf(Authenticated.class);
    }
  }

  @Test
  @DisplayName(
      "given an issuer whose tokens have no typ, when configured so, then they are accepted")
  void withoutType() throws Exception {
    var verifier = start(issuer(KeyLocation.keySet(issuer.url()), Set.of("")));
    var token =
        FakeIssuer.sign(issuer.header().type(null), issuer.claims(inAnHour()), issuer.key());

    assertThat(settled(verifier, token)).isInstanceOf(Authenticated.class);
    assertThat(now(verifier, issuer.sign(issuer.claims(inAnHour())))).isEqualTo(REFUSED);
  }

  @Test
  @DisplayName("given an accepted token, when its exp is 60 s ago, then it is refused")
  void expires() throws Exception {
    var verifier = ready();
    var end = clock.instant().plusSeconds(100);
    var token = issuer.sign(issuer.claims(end));
    assertThat(now(verifier, token)).isInstanceOf(Authenticated.class);

    clock.set(end.plusSeconds(59));
    assertThat(now(verifier, token)).isInstanceOf(Authenticated.class);
    assertThat(now(verifier, issuer.sign(issuer.claims(end).jwtID("not cached"))))
        .isInstanceOf(Authenticated.class);
    clock.set(end.plusSeconds(60));
    assertThat(now(verifier, token)).isEqualTo(REFUSED);
    assertThat(now(verifier, issuer.sign(issuer.claims(end).jwtID("not cached"))))
        .isEqualTo(REFUSED);
  }

  @Test
  @DisplayName("given an accepted token, when its key is withdrawn, then it is refused after 5 min")
  void withdrawnKey() throws Exception {
    var verifier = ready();
    var token = issuer.sign(issuer.claims(inAnHour()));
    assertThat(now(verifier, token)).isInstanceOf(Authenticated.class);
    issuer.rotate("second");
    assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);

    clock.advance(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(now(verifier, token)).isInstanceOf(Authenticated.class);
    clock.advance(Duration.ofSeconds(1));
    assertThat(settled(verifier, token)).isEqualTo(REFUSED);
  }

  @Test
  @DisplayName("given a new key, then its first token reads it, but not twice in 30 s")
  void rotates() throws Exception {
    var verifier = ready();
    issuer.rotate("second");
    assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);
    assertThat(issuer.requests()).isEqualTo(2);

    issuer.rotate("third");
    var third = issuer.sign(issuer.claims(inAnHour()));
    clock.advance(Duration.ofSeconds(29));
    assertThat(now(verifier, third)).isEqualTo(REFUSED);
    assertThat(issuer.requests()).isEqualTo(2);
    clock.advance(Duration.ofSeconds(1));
    assertThat(settled(verifier, third)).isInstanceOf(Authenticated.class);
    assertThat(issuer.requests()).isEqualTo(3);
  }

  @Test
  @DisplayName("given a rejected token with an unknown key, then the issuer is not asked")
  void asksOnlyIfItMatters() throws Exception {
    var verifier = ready();
    var header = issuer.header().keyID("unknown");
    for (var claims :
        List.of(
            issuer.claims(clock.instant().minusSeconds(60)),
            issuer.claims(inAnHour()).audience("other"))) {
      assertThat(now(verifier, FakeIssuer.sign(header, claims, issuer.key()))).isEqualTo(REFUSED);
    }
    assertThat(issuer.requests()).isEqualTo(1);
  }

  @Test
  @DisplayName("given an issuer that fails, then its known keys are used for 4 h, then none")
  void fails() throws Exception {
    var verifier = ready();
    issuer.behave((fake, exchange) -> fake.send(exchange, 500, ""));
    var unknown =
        FakeIssuer.sign(issuer.header().keyID("unknown"), issuer.claims(inAnHour()), issuer.key());
    assertThat(settled(verifier, unknown)).isEqualTo(REFUSED);
    assertThat(now(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);

    clock.advance(Duration.ofHours(4));
    var later = issuer.claims(inAnHour());
    assertThat(now(verifier, issuer.sign(later))).isInstanceOf(Authenticated.class);
    clock.advance(Duration.ofSeconds(1));
    assertThat(settled(verifier, issuer.sign(later.jwtID("not cached")))).isEqualTo(REFUSED);

    issuer.behave(FakeIssuer.KEYS);
    clock.advance(Duration.ofSeconds(30));
    assertThat(settled(verifier, issuer.sign(later.jwtID("not cached"))))
        .isInstanceOf(Authenticated.class);
    assertThat(logged(Level.WARN, Level.INFO))
        .hasSize(2)
        .satisfiesExactly(
            warning -> assertThat(warning).endsWith(issuer.url() + " answered HTTP 500"),
            info -> assertThat(info).endsWith("keys read again"));
  }

  @Test
  @DisplayName(
      "given time that passes, then keys are read every 5 min, and every 30 s if that failed")
  void refreshes() throws Exception {
    var verifier = ready();
    issuer.behave((fake, exchange) -> fake.send(exchange, 503, ""));
    advanceToNextRead(Duration.ofMinutes(5));
    issuer.behave(FakeIssuer.KEYS);
    issuer.rotate("second");
    advanceToNextRead(Duration.ofSeconds(30));

    assertThat(now(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);
    assertThat(issuer.requests()).isEqualTo(3);
  }

  /** The next read is scheduled when one ended. */
  private void advanceToNextRead(Duration expected) {
    assertThat(timer.nextDue()).contains(clock.instant().plus(expected));
    timer.advance(expected);
    awaitScheduled();
  }

  private void awaitScheduled() {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (timer.pending() == 0) {
      assertThat(System.nanoTime()).as("a read ends").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Test
  @DisplayName(
      "given keys that hang, then known tokens are accepted at once, and unknown ones parked")
  void hangs() throws Exception {
    var verifier = ready();
    issuer.behave(FakeIssuer::hang);
    var parked = verifier.verify(unknown(0));

    assertThat(now(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);
    assertThat(now(verifier, "other")).isEqualTo(REFUSED);
    timer.advance(Duration.ofMillis(1_999));
    assertThat(parked).isNotDone();
    timer.advance(Duration.ofMillis(1));
    assertThat(parked).isCompletedWithValue(REFUSED);
  }

  @Test
  @DisplayName(
      "given keys that hang, when 1,000 calls are parked, then the next is refused at once")
  void parksABoundedNumber() throws Exception {
    var verifier = ready();
    issuer.behave(FakeIssuer::hang);
    var token = unknown(0);
    var parked = new ArrayList<CompletableFuture<Authentication>>();
    for (var i = 0; i < 1_000; i++) {
      parked.add(verifier.verify(token));
    }
    assertThat(parked).noneMatch(CompletableFuture::isDone);
    assertThat(now(verifier, token)).isEqualTo(REFUSED);

    timer.advance(Duration.ofSeconds(2));
    assertThat(parked).allMatch(CompletableFuture::isDone);
    assertThat(verifier.verify(token)).isNotDone();
  }

  @Test
  @DisplayName("given an issuer that hangs at the start, when it answers, then parked calls go on")
  void hangsAtTheStart() throws Exception {
    issuer.behave(FakeIssuer::hang);
    var verifier = start(issuer(KeyLocation.keySet(issuer.url()), Set.of("jwt")));
    var token = issuer.sign(issuer.claims(inAnHour()));
    var first = verifier.verify(token);
    timer.advance(Duration.ofSeconds(2));
    assertThat(first).isCompletedWithValue(REFUSED);
    var second = verifier.verify(token);
    assertThat(second).isNotDone();

    issuer.release();

    assertThat(second.get(10, TimeUnit.SECONDS)).isInstanceOf(Authenticated.class);
    assertThat(timer.pending()).as("no timeout is left, only the next read").isEqualTo(1);
  }

  @Test
  @DisplayName("given a discovery document of this issuer, then its keys are read")
  void discovers() throws Exception {
    issuer.behave(discovery(issuer.url(), issuer.url() + "/keys"));
    var verifier = start(issuer(KeyLocation.discovery(issuer.url()), Set.of("jwt")));

    assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour()))))
        .isInstanceOf(Authenticated.class);
  }

  @Test
  @DisplayName("given a discovery document of another issuer, or keys without TLS, then no keys")
  void discoversNothing() throws Exception {
    for (var wrong :
        List.of(
            discovery(issuer.url() + "/", issuer.url() + "/keys"),
            discovery(issuer.url(), "http://192.0.2.1/keys"),
            discovery(issuer.url(), "file:/keys"),
            (FakeIssuer.Behavior) (fake, exchange) -> fake.send(exchange, 200, "[]"))) {
      issuer.behave(wrong);
      var verifier = start(issuer(KeyLocation.discovery(issuer.url()), Set.of("jwt")));
      assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour())))).isEqualTo(REFUSED);
    }
    assertThat(logged(Level.WARN)).hasSize(4);
  }

  private static FakeIssuer.Behavior discovery(String name, String keys) {
    return (fake, exchange) ->
        fake.send(
            exchange,
            200,
            exchange.getRequestURI().getPath().equals("/.well-known/openid-configuration")
                ? "{\"issuer\":\"%s\",\"jwks_uri\":\"%s\"}".formatted(name, keys)
                : fake.keySet());
  }

  @Test
  @DisplayName("given an answer that is no key set, then there are no keys")
  void noKeys() throws Exception {
    var secret = "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"first\",\"k\":\"c2VjcmV0\"}]}";
    for (var answer :
        List.<FakeIssuer.Behavior>of(
            (fake, exchange) -> fake.send(exchange, 200, ""),
            (fake, exchange) -> fake.send(exchange, 200, "<html>"),
            (fake, exchange) -> fake.send(exchange, 200, "{\"keys\":[]}"),
            (fake, exchange) -> fake.send(exchange, 200, secret),
            (fake, exchange) -> fake.send(exchange, 200, fake.keySet() + " ".repeat(300_000)),
            (fake, exchange) -> {
              exchange.getResponseHeaders().set("Location", fake.url() + "/elsewhere");
              fake.send(exchange, 302, fake.keySet());
            })) {
      issuer.behave(answer);
      var verifier = start(issuer(KeyLocation.keySet(issuer.url()), Set.of("jwt")));
      assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour())))).isEqualTo(REFUSED);
    }
    assertThat(logged(Level.WARN)).hasSize(6);
  }

  @Test
  @DisplayName("given refused tokens, then their reasons are in the log, and nothing of the tokens")
  void logsNoToken() throws Exception {
    var verifier = ready();
    var marker = "m4rk3r";
    var claims = issuer.claims(inAnHour()).subject(marker).claim(marker, marker);
    var tokens =
        List.of(
            issuer.sign(claims),
            issuer.sign(issuer.claims(inAnHour()).subject(marker).audience(marker)),
            issuer.sign(issuer.claims(inAnHour()).issuer(marker)),
            FakeIssuer.sign(issuer.header().keyID(marker), claims, issuer.key()),
            FakeIssuer.sign(issuer.header().type(new JOSEObjectType(marker)), claims, issuer.key()),
            marker + ".a.b",
            "{" + marker);
    for (var token : tokens) {
      settled(verifier, token);
    }

    assertThat(logged(Level.DEBUG)).hasSize(tokens.size() - 1);
    assertThat(logged.list)
        .allSatisfy(
            event -> {
              assertThat(event.getFormattedMessage()).doesNotContain(marker, "eyJ");
              assertThat(event.getThrowableProxy()).isNull();
            });
  }

  private List<String> logged(Level... levels) {
    return List.copyOf(logged.list).stream()
        .filter(event -> List.of(levels).contains(event.getLevel()))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private String unknown(int number) throws Exception {
    return FakeIssuer.sign(
        issuer.header().keyID("unknown" + number), issuer.claims(inAnHour()), issuer.key());
  }

  private Instant inAnHour() {
    return clock.instant().plusSeconds(3_600);
  }

  /** A verifier that has read the keys. */
  private JwtVerifier ready() throws Exception {
    var verifier = start(issuer(KeyLocation.keySet(issuer.url()), Set.of("at+jwt", "jwt")));
    assertThat(settled(verifier, issuer.sign(issuer.claims(inAnHour()).jwtID("first"))))
        .isInstanceOf(Authenticated.class);
    return verifier;
  }

  private JwtVerifier start(TokenIssuer trusted) {
    var verifier = JwtVerifier.start(List.of(trusted), clock, timer);
    open.add(verifier);
    return verifier;
  }

  private TokenIssuer issuer(KeyLocation keys, Set<String> types) {
    var groups = new JwtClaimPath("groups");
    var rules =
        new JwtRules(
            issuer.url(),
            Set.of(FakeIssuer.AUDIENCE),
            new JwtClaimPath("sub"),
            "",
            List.of(JwtClaimGrant.parse(groups, "ops -> role=operator workspace=*")));
    return new TokenIssuer(rules, keys, Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256), types);
  }

  /** The answer for which no thread waited. */
  private static Authentication now(JwtVerifier verifier, String token) {
    var known = verifier.known(token);
    if (known.isPresent()) {
      return known.get();
    }
    var answer = verifier.verify(token);
    assertThat(answer).isCompleted();
    return answer.join();
  }

  /** The answer, for which the issuer may be asked. */
  private static Authentication settled(JwtVerifier verifier, String token) {
    return verifier.verify(token).orTimeout(10, TimeUnit.SECONDS).join();
  }
}
