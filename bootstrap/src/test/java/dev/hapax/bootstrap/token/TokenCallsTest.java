package dev.hapax.bootstrap.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.security.CredentialAuthenticator;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import dev.hapax.domain.security.JwtClaimGrant;
import dev.hapax.domain.security.JwtClaimPath;
import dev.hapax.domain.security.JwtRules;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.grpc.quota.SignatureLimit;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.IdentityGrpc;
import dev.hapax.grpc.security.OpenCalls;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.IdentityServiceGrpc.IdentityServiceFutureStub;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WhoAmIResponse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls with tokens over the wire, beside calls with API keys; without a database. */
@Tag("A5")
class TokenCallsTest {
  private static final int PARKED = 100;
  private static final ApiKey KEY = ApiKey.create(bound -> bound / 2);

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final AtomicLong nanos = new AtomicLong();
  private final FakeIssuer issuer;
  private final JwtVerifier verifier;
  private final HapaxServer server;
  private Optional<ManagedChannel> channel = Optional.empty();

  TokenCallsTest() throws Exception {
    issuer = new FakeIssuer();
    var rules =
        new JwtRules(
            issuer.url(),
            Set.of(FakeIssuer.AUDIENCE),
            new JwtClaimPath("sub"),
            "prod/",
            List.of(
                JwtClaimGrant.parse(
                    new JwtClaimPath("groups"), "ops -> role=operator workspace=eu,us")));
    var trusted =
        new TokenIssuer(
            rules, KeyLocation.keySet(issuer.url()), Set.of(JWSAlgorithm.RS256), Set.of("jwt"));
    verifier = JwtVerifier.start(List.of(trusted), clock, timer);
    var keys = new ApiKeys(oneKey(), _ -> CompletableFuture.allOf(), clock);
    keys.load().join();
    var callers = new CredentialAuthenticator(keys, Optional.empty(), Optional.of(verifier), clock);
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server =
        new HapaxServer(
            new GrpcServerConfig(address, false, Duration.ofSeconds(1)),
            Set.of(new IdentityGrpc()),
            Optional.of(
                new CallAuthentication(
                    callers,
                    new OpenCalls(callers),
                    new AuditLog(InstantSource.system()),
                    nanos::get)),
            Optional.empty());
  }

  private static ApiKeyReads oneKey() {
    var principal =
        new Principal(Principal.Kind.API_KEY, "shop", List.of(RoleGrant.everywhere(Role.VIEWER)));
    var stored =
        new StoredApiKey(
            KEY.id(),
            KEY.secretHash(),
            principal,
            Instant.EPOCH,
            "test",
            Optional.empty(),
            Optional.empty());
    return new ApiKeyReads() {
      @Override
      public CompletableFuture<Long> revision() {
        return CompletableFuture.completedFuture(1L);
      }

      @Override
      public CompletableFuture<ApiKeyRing> live() {
        return CompletableFuture.completedFuture(new ApiKeyRing(1, List.of(stored)));
      }
    };
  }

  @BeforeEach
  void start() throws Exception {
    channel =
        Optional.of(
            ManagedChannelBuilder.forAddress("127.0.0.1", server.start()).usePlaintext().build());
  }

  @AfterEach
  void stop() throws Exception {
    channel.orElseThrow().shutdownNow();
    server.stop();
    verifier.close();
    issuer.close();
  }

  @Test
  @DisplayName("given a token, then WhoAmI returns its principal and what its claims grant")
  void whoAmI() throws Exception {
    var principal = answer(whoAmI(issuer.sign(claims()))).getPrincipal();

    assertThat(principal.getName()).isEqualTo("prod/alice");
    assertThat(principal.getKind()).isEqualTo(PrincipalKind.PRINCIPAL_KIND_TOKEN);
    assertThat(principal.getGrantsList())
        .singleElement()
        .satisfies(grant -> assertThat(grant.getWorkspacesList()).containsExactly("eu", "us"));
    var none = answer(whoAmI(issuer.sign(claims().claim("groups", "dev")))).getPrincipal();
    assertThat(none.getName()).isEqualTo("prod/alice");
    assertThat(none.getGrantsList()).isEmpty();
  }

  @Test
  @DisplayName("given a key that is rotated, then the first call with the new one is answered")
  void rotated() throws Exception {
    answer(whoAmI(issuer.sign(claims())));
    issuer.rotate("second");

    assertThat(answer(whoAmI(issuer.sign(claims()))).getPrincipal().getName())
        .isEqualTo("prod/alice");
  }

  @Test
  @DisplayName(
      "given an issuer that hangs and parked calls, then tokens with known keys are verified [A5]")
  void hangs() throws Exception {
    var known = issuer.sign(claims());
    answer(whoAmI(known));
    var header = issuer.header();
    var key = issuer.key();
    issuer.behave(FakeIssuer::hang);
    issuer.rotate("second");
    var parked = new ArrayList<Future<WhoAmIResponse>>();
    for (var i = 0; i < PARKED; i++) {
      parked.add(whoAmI(issuer.sign(claims().jwtID("parked " + i))));
    }

    // the issuer hangs until the end of this block, so a thread that waits would end it
    for (var i = 0; i < 20; i++) {
      var verified = FakeIssuer.sign(header, claims().jwtID("new " + i), key);
      assertThat(answer(whoAmI(verified)).getPrincipal().getName()).isEqualTo("prod/alice");
      assertThat(answer(whoAmI(KEY.text())).getPrincipal().getName()).isEqualTo("shop");
      assertThat(answer(whoAmI(known)).getPrincipal().getName()).isEqualTo("prod/alice");
    }
    assertThat(parked).noneMatch(Future::isDone);

    issuer.release();
    for (var call : parked) {
      assertThat(answer(call).getPrincipal().getName()).isEqualTo("prod/alice");
    }
  }

  @Test
  @DisplayName("given a token that is not accepted, then the call is UNAUTHENTICATED")
  void refused() throws Exception {
    answer(whoAmI(issuer.sign(claims())));
    for (var token :
        List.of(
            issuer.sign(claims().audience("other")),
            issuer.sign(issuer.claims(clock.instant().minusSeconds(60))),
            "a.b.c",
            "x")) {
      assertThat(refusal(whoAmI(token)))
          .isEqualTo(
              "UNAUTHENTICATED the token is not accepted: expired, or of another issuer or"
                  + " audience");
    }
    issuer.behave((fake, exchange) -> fake.send(exchange, 500, ""));
    issuer.rotate("second");
    assertThat(refusal(whoAmI(issuer.sign(claims())))).startsWith("UNAUTHENTICATED ");
  }

  @Test
  @Tag("A8")
  @DisplayName("given too many wrong signatures, then only known tokens and API keys are accepted")
  void tooMany() throws Exception {
    var known = issuer.sign(claims());
    answer(whoAmI(known));
    for (var i = 0; i < 2 * SignatureLimit.PER_SECOND; i++) {
      assertThat(refusal(whoAmI(issuer.sign(claims().audience("other")))))
          .as("only wrong signatures count: a client with an expired token harms no one")
          .startsWith("UNAUTHENTICATED ");
    }
    var bad = FakeIssuer.sign(issuer.header(), claims(), FakeIssuer.newKey("first"));
    for (var i = 0; i < SignatureLimit.PER_SECOND; i++) {
      assertThat(refusal(whoAmI(bad))).startsWith("UNAUTHENTICATED ");
    }

    var fresh = issuer.sign(claims().subject("bob"));
    assertThat(refusal(whoAmI(fresh)))
        .isEqualTo(
            "RESOURCE_EXHAUSTED the token was not verified: more than 20 tokens a second of this"
                + " address have wrong signatures; retry after 1000 ms");
    assertThat(answer(whoAmI(known)).getPrincipal().getName()).isEqualTo("prod/alice");
    assertThat(answer(whoAmI(KEY.text())).getPrincipal().getName()).isEqualTo("shop");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(answer(whoAmI(fresh)).getPrincipal().getName()).isEqualTo("prod/bob");
  }

  private JWTClaimsSet.Builder claims() {
    return issuer.claims(clock.instant().plusSeconds(600));
  }

  private Future<WhoAmIResponse> whoAmI(String secret) {
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + secret);
    IdentityServiceFutureStub stub =
        IdentityServiceGrpc.newFutureStub(channel.orElseThrow())
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    return stub.whoAmI(WhoAmIRequest.getDefaultInstance());
  }

  private static WhoAmIResponse answer(Future<WhoAmIResponse> call) throws Exception {
    return call.get(10, TimeUnit.SECONDS);
  }

  private static String refusal(Future<?> call) {
    var failure =
        catchThrowableOfType(ExecutionException.class, () -> call.get(10, TimeUnit.SECONDS));
    var status = Status.fromThrowable(Objects.requireNonNull(failure.getCause()));
    return status.getCode() + " " + status.getDescription();
  }
}
