package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.Principal;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Role;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
class ApiKeyIT {
  private static final Deployment DEPLOYMENT = SecuredDeployment.shared().deployment();
  private static final ApiKeys KEYS = new ApiKeys(DEPLOYMENT.database());
  private static final ManagedChannel CHANNEL = channel(DEPLOYMENT.target());

  @AfterAll
  static void stop() {
    CHANNEL.shutdownNow();
  }

  private static ManagedChannel channel(String target) {
    return ManagedChannelBuilder.forTarget(target).usePlaintext().disableRetry().build();
  }

  private static Principal whoAmI(ManagedChannel to, ApiKey key) {
    return ApiKeys.with(key, IdentityServiceGrpc.newBlockingStub(to))
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .whoAmI(WhoAmIRequest.getDefaultInstance())
        .getPrincipal();
  }

  private static Code code(ManagedChannel to, ApiKey key) {
    try {
      var _ = whoAmI(to, key);
      return Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static void awaitAccepted(ManagedChannel to, ApiKey key) {
    Condition.await("the key is accepted", () -> code(to, key) == Code.OK);
  }

  @Test
  @DisplayName("given a new key, when its caller asks who it is, then it gets principal and grants")
  void tellsThePrincipal() {
    var key = KEYS.create("billing", "role=worker workspace=eu,us queue=mail");
    awaitAccepted(CHANNEL, key);
    var principal = whoAmI(CHANNEL, key);
    assertThat(principal.getName()).isEqualTo("billing");
    assertThat(principal.getKind()).isEqualTo(PrincipalKind.PRINCIPAL_KIND_API_KEY);
    assertThat(principal.getApiKeyId()).isEqualTo(key.id());
    assertThat(principal.getGrants(0).getRole()).isEqualTo(Role.ROLE_WORKER);
    assertThat(principal.getGrants(0).getWorkspacesList()).containsExactly("eu", "us");
    assertThat(principal.getGrants(0).getQueuesList()).containsExactly("mail");
  }

  @Test
  @DisplayName("given a key, then `hapax whoami` shows its principal and grants")
  void whoami() {
    var key = KEYS.create("cashier", "role=worker workspace=* queue=mail");
    awaitAccepted(CHANNEL, key);
    try (var said =
        HapaxProcess.start(
            Map.of("HAPAX_API_KEY", key.text(), "HAPAX_TLS_CA", ""),
            "whoami",
            "--server=" + DEPLOYMENT.target())) {
      assertThat(said.awaitExit()).as("%s", said.errors()).isZero();
      assertThat(said.output())
          .containsExactly(
              "principal   api-key:cashier",
              "api_key_id  " + key.id(),
              "expires_at  never",
              "grant       role=worker workspace=* queue=mail");
    }
  }

  @Test
  @DisplayName("given no key, another scheme or two keys, when a call is made, then it is refused")
  void refusesOtherCredentials() {
    var key = KEYS.create("twice", "role=viewer workspace=*");
    awaitAccepted(CHANNEL, key);
    var stub = MonitoringServiceGrpc.newBlockingStub(CHANNEL);
    var twice = ApiKeys.headers(key);
    twice.merge(ApiKeys.headers(key));
    for (var headers :
        new Metadata[] {
          new Metadata(),
          twice,
          ApiKeys.headers(key.text()),
          ApiKeys.headers("Basic " + key.text()),
          ApiKeys.headers("Bearer "),
          ApiKeys.headers("Bearer " + key.text() + "x"),
          ApiKeys.headers(ApiKey.create(new SecureRandom()::nextInt))
        }) {
      assertThatThrownBy(
              () ->
                  stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                      .getServerInfo(GetServerInfoRequest.getDefaultInstance()))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> {
                assertThat(e.getStatus().getCode()).isEqualTo(Code.UNAUTHENTICATED);
                assertThat(e.getMessage()).doesNotContain(key.secret());
              });
    }
  }

  @Test
  @DisplayName("given no key, when health is checked, then the server answers")
  void answersHealthChecks() {
    assertThat(
            HealthGrpc.newBlockingStub(CHANNEL)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatusValue())
        .isEqualTo(1);
  }

  @Test
  @Tag("A2")
  @DisplayName("given the health of a janitor, then only callers of its workspace learn of it")
  void hidesTheHealthOfJanitors() {
    var request =
        HealthCheckRequest.newBuilder().setService("hapax.v1.JanitorService/eu/billing").build();
    var eu = KEYS.create("probe", "role=viewer workspace=eu");
    var us = KEYS.create("foreign-probe", "role=viewer workspace=us");
    awaitAccepted(CHANNEL, eu);
    awaitAccepted(CHANNEL, us);
    var health = HealthGrpc.newBlockingStub(CHANNEL);

    assertThat(Refusal.of(() -> health.check(request)).code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(Refusal.of(() -> health.watch(request).next()).code())
        .isEqualTo(Code.UNAUTHENTICATED);
    assertThat(Refusal.of(() -> ApiKeys.with(us, health).check(request)).code())
        .isEqualTo(Code.PERMISSION_DENIED);
    assertThat(Refusal.of(() -> ApiKeys.with(eu, health).check(request)).code())
        .as("no such janitor")
        .isEqualTo(Code.NOT_FOUND);
  }

  @Test
  @Tag("A4")
  @DisplayName(
      "given two nodes and an open stream, when the key is revoked, then both refuse and end it")
  void revokes() {
    var other = KEYS.create("other", "role=application workspace=*");
    try (var second = DEPLOYMENT.add("--authentication")) {
      var there = channel(second.awaitReady());
      awaitAccepted(there, other);
      var kept = new CompletableFuture<Status>();
      var _ = open(there, other, kept);

      // the promise to operators
      Condition.holdsInOneOfThree("refused in 5 s, ended in 10 s", () -> isRevokedInTime(there));
      assertThat(code(there, other)).isEqualTo(Code.OK);
      assertThat(kept).isNotDone();
      there.shutdownNow();
    }
  }

  private static boolean isRevokedInTime(ManagedChannel there) {
    var key = KEYS.create("leaked", "role=application workspace=*");
    awaitAccepted(CHANNEL, key);
    awaitAccepted(there, key);
    var ended = new CompletableFuture<Status>();
    var _ = open(there, key, ended);

    var start = System.nanoTime();
    KEYS.revoke(key);
    Condition.await("the first node refuses", () -> code(CHANNEL, key) == Code.UNAUTHENTICATED);
    Condition.await("the second node refuses", () -> code(there, key) == Code.UNAUTHENTICATED);
    var refused = Duration.ofNanos(System.nanoTime() - start);
    assertThat(ended.orTimeout(30, TimeUnit.SECONDS).join().getCode())
        .isEqualTo(Code.UNAUTHENTICATED);
    var over = Duration.ofNanos(System.nanoTime() - start);
    return refused.compareTo(Duration.ofSeconds(5)) < 0
        && over.compareTo(Duration.ofSeconds(10)) < 0;
  }

  @Test
  @Tag("A2")
  @DisplayName("given a stream, when one of its calls is not permitted, then only that call fails")
  void deniesACallOnAStream() throws Exception {
    var key = KEYS.create("mixed", "role=application workspace=eu");
    awaitAccepted(CHANNEL, key);
    var answers = new LinkedBlockingQueue<OperationStreamResponse.Answer>();
    var stream =
        ApiKeys.with(key, OperationServiceGrpc.newStub(CHANNEL))
            .operationStream(
                new StreamObserver<OperationStreamResponse>() {
                  @Override
                  public void onNext(OperationStreamResponse message) {
                    answers.addAll(message.getAnswersList());
                  }

                  @Override
                  public void onError(Throwable failure) {}

                  @Override
                  public void onCompleted() {}
                });
    for (var workspace : List.of("us", "eu")) {
      stream.onNext(
          OperationStreamRequest.newBuilder()
              .addCalls(
                  OperationStreamRequest.Call.newBuilder()
                      .setCallId(workspace.charAt(0))
                      .setBeginOperation(
                          BeginOperationRequest.newBuilder()
                              .setWorkspace(workspace)
                              .setOperation("orders.v1.Orders/Place")
                              .setRequestId("order-17")))
              .build());
    }
    var denied = Objects.requireNonNull(answers.poll(20, TimeUnit.SECONDS));
    var acquired = Objects.requireNonNull(answers.poll(20, TimeUnit.SECONDS));
    assertThat(denied.getCallId()).isEqualTo('u');
    assertThat(denied.getError().getCode()).isEqualTo(Code.PERMISSION_DENIED.value());
    assertThat(acquired.getBeginOperation().hasAcquired()).isTrue();
    stream.onCompleted();
  }

  private static StreamObserver<OperationStreamRequest> open(
      ManagedChannel to, ApiKey key, CompletableFuture<Status> ended) {
    return ApiKeys.with(key, OperationServiceGrpc.newStub(to))
        .operationStream(
            new StreamObserver<OperationStreamResponse>() {
              @Override
              public void onNext(OperationStreamResponse answers) {}

              @Override
              public void onError(Throwable failure) {
                ended.complete(Status.fromThrowable(failure));
              }

              @Override
              public void onCompleted() {
                ended.complete(Status.OK);
              }
            });
  }

  @Test
  @Tag("A4")
  @DisplayName("given a known key, when the database is away, then its caller is still known")
  void knowsKeysWithoutTheDatabase() {
    try (var alone = Deployment.configured("--authentication")) {
      var key = new ApiKeys(alone.database()).create("steady", "role=viewer workspace=*");
      var to = channel(alone.target());
      awaitAccepted(to, key);
      alone.database().allowConnections(false);
      alone.database().disconnectAll();
      Condition.await("the database is away", () -> serverInfo(to, key) == Code.UNAVAILABLE);
      assertThat(code(to, key)).isEqualTo(Code.OK);
      alone.database().allowConnections(true);
      to.shutdownNow();
    }
  }

  private static Code serverInfo(ManagedChannel to, ApiKey key) {
    try {
      var _ =
          ApiKeys.with(key, MonitoringServiceGrpc.newBlockingStub(to))
              .getServerInfo(GetServerInfoRequest.getDefaultInstance());
      return Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  @ParameterizedTest(
      name = "given no key, when others can reach {0}, then the server does not start [A1]")
  @Tag("A1")
  @ValueSource(strings = {"--listen", "--http-listen", "--console-listen"})
  void refusesToStartWithoutAKey(String reachable) {
    var listeners = new TreeMap<>(Map.of("--listen", "127.0.0.1:0"));
    listeners.put(reachable, "0.0.0.0:0");
    var arguments = new ArrayList<>(List.of("serve", "--insecure", "--authentication"));
    listeners.forEach((option, address) -> arguments.add(option + "=" + address));
    try (var alone = TestDatabase.create()) {
      arguments.add("--database-url=" + alone.url());
      try (var server = HapaxProcess.start(arguments.toArray(String[]::new))) {
        assertThat(server.awaitExit()).isEqualTo(2);
        assertThat(String.join("\n", server.errors()))
            .contains("no API key exists")
            .contains("hapax key create");
      }
    }
  }
}
