package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.token.FakeIssuer;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that trusts the tokens of an issuer, as its operator configures it. */
@Tag("A5")
@Tag("long")
class TokenIssuerIT {
  private final FakeIssuer issuer;
  private final Deployment deployment;
  private final ManagedChannel channel;

  TokenIssuerIT(@TempDir Path configured) throws Exception {
    issuer = new FakeIssuer();
    var file = issuer.configure(configured, "ops -> role=viewer workspace=eu");
    deployment = Deployment.configured("--authentication", "--token-issuers=" + file);
    channel = ManagedChannelBuilder.forTarget(deployment.target()).usePlaintext().build();
  }

  @BeforeEach
  void ready() throws Exception {
    var token = issuer.sign(claims());
    Condition.await("the issuer's keys are read", () -> code(token).equals(Code.OK));
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    deployment.close();
    issuer.close();
  }

  private JWTClaimsSet.Builder claims() {
    return issuer.claims(Instant.now().plusSeconds(600));
  }

  private Code code(String token) {
    return code(token, "eu");
  }

  private Code code(String token, String workspace) {
    try {
      var _ =
          RunServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(20, TimeUnit.SECONDS)
              .withInterceptors(
                  MetadataUtils.newAttachHeadersInterceptor(ApiKeys.headers("Bearer " + token)))
              .listRuns(ListRunsRequest.newBuilder().setWorkspace(workspace).build());
      return Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  @Test
  @DisplayName("given a token, then its claims decide who calls and in which workspace")
  void grants() throws Exception {
    var token = issuer.sign(claims());
    var principal =
        IdentityServiceGrpc.newBlockingStub(channel)
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(ApiKeys.headers("Bearer " + token)))
            .whoAmI(WhoAmIRequest.getDefaultInstance())
            .getPrincipal();

    assertThat(principal.getName()).isEqualTo("alice");
    assertThat(principal.getKind()).isEqualTo(PrincipalKind.PRINCIPAL_KIND_TOKEN);
    assertThat(code(token, "us")).isEqualTo(Code.PERMISSION_DENIED);
    assertThat(code(issuer.sign(claims().claim("groups", List.of("dev")))))
        .isEqualTo(Code.PERMISSION_DENIED);
  }

  private HapaxProcess command(Map<String, String> variables, String... arguments) {
    var environment = new HashMap<>(Map.of("HAPAX_API_KEY", "", "HAPAX_TLS_CA", ""));
    environment.put("HAPAX_SERVER", deployment.target());
    environment.putAll(variables);
    return HapaxProcess.start(environment, arguments);
  }

  @Test
  @DisplayName("given a token in a file, then the commands call the server with it")
  void commands(@TempDir Path folder) throws Exception {
    var token = issuer.sign(claims());
    var file = Files.writeString(folder.resolve("jwt"), token + "\n").toString();
    var expired =
        Files.writeString(
            folder.resolve("expired"), issuer.sign(issuer.claims(Instant.now().minusSeconds(120))));

    try (var said = command(Map.of("HAPAX_JWT_FILE", file), "whoami")) {
      assertThat(said.awaitExit()).as("%s", said.errors()).isZero();
      assertThat(said.output())
          .contains("principal   token:alice", "grant       role=viewer workspace=eu");
    }
    try (var said =
        command(
            Map.of("HAPAX_JWT_FILE", expired.toString()),
            "run",
            "list",
            "--workspace=eu",
            "--jwt-file=" + file)) {
      assertThat(said.awaitExit()).as("%s", said.errors()).isZero();
    }
    try (var said = command(Map.of(), "whoami", "--jwt-file=" + expired)) {
      assertThat(said.awaitExit()).isEqualTo(1);
      assertThat(said.errors())
          .contains("hapax: the token is not accepted: expired, or of another issuer or audience")
          .anyMatch(line -> line.contains("a JWT with --jwt-file or HAPAX_JWT_FILE"));
    }
    try (var said = command(Map.of("HAPAX_API_KEY", token), "whoami")) {
      assertThat(said.awaitExit()).isEqualTo(2);
      assertThat(said.errors())
          .first()
          .isEqualTo(
              "hapax: HAPAX_API_KEY is a JWT, not an API key; name its file in HAPAX_JWT_FILE");
    }
  }

  @Test
  @DisplayName("given a forged, expired or foreign token, then the call is UNAUTHENTICATED")
  void refuses() throws Exception {
    var shared = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims().build());
    shared.sign(new MACSigner(issuer.key().toRSAPublicKey().getEncoded()));
    var tokens =
        Map.of(
            "audience", issuer.sign(claims().audience("other")),
            "issuer", issuer.sign(claims().issuer("https://other.example")),
            "expired", issuer.sign(issuer.claims(Instant.now().minusSeconds(120))),
            "none", new PlainJWT(claims().build()).serialize(),
            "the public key as a shared secret", shared.serialize(),
            "another key", FakeIssuer.sign(issuer.header(), claims(), FakeIssuer.newKey("first")));

    tokens.forEach((why, token) -> assertThat(code(token)).as(why).isEqualTo(Code.UNAUTHENTICATED));
  }

  @Test
  @DisplayName("given a rotated key, then a token of the new one is accepted at once")
  void rotates() throws Exception {
    issuer.rotate("second");

    assertThat(code(issuer.sign(claims()))).isEqualTo(Code.OK);
  }

  @Test
  @DisplayName("given an issuer that hangs, then calls with known tokens and keys are answered")
  void hangs() throws Exception {
    var known = issuer.sign(claims());
    assertThat(code(known)).isEqualTo(Code.OK);
    issuer.behave(FakeIssuer::hang);
    issuer.rotate("second");
    var unknown = issuer.sign(claims());

    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var parked =
          IntStream.range(0, 10).mapToObj(_ -> callers.submit(() -> code(unknown))).toList();
      for (var i = 0; i < 100; i++) {
        assertThat(code(known)).isEqualTo(Code.OK);
      }
      assertThat(ConcurrentCalls.answers(parked)).containsOnly(Code.UNAUTHENTICATED);
    }
  }
}
