package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.EntityServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gRPC interceptor of each kit that has one. */
@Tag("long")
class KitInterceptorIT {
  private static final Metadata.Key<String> KEY = ascii("idempotency-key");
  @TempDir private Path folder = Path.of("");

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private interface Scenario {
    void run(KitScene scene, KitProgram program, ManagedChannel channel) throws Exception;
  }

  private void serve(Kit kit, String work, Scenario scenario) throws Exception {
    serve(kit, Deployment.shared().target(), Map.of(), work, scenario);
  }

  private void serve(
      Kit kit, String target, Map<String, String> access, String work, Scenario scenario)
      throws Exception {
    try (var scene = new KitScene(kit, target, folder, access);
        var program = scene.program(access)) {
      var port = (int) program.ask("serve_grpc", "\"work\": " + work).getNumberValue();
      var channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      try {
        scenario.run(scene, program, channel);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private record Answer(Status status, String entityId, Metadata trailers) {
    String trailer(String name) {
      return Objects.requireNonNullElse(trailers.get(ascii(name)), "");
    }
  }

  private static Answer call(ManagedChannel channel, String key, String entityId) {
    var metadata = new Metadata();
    if (!key.isEmpty()) {
      metadata.put(KEY, key);
    }
    var headers = new AtomicReference<Metadata>();
    var trailers = new AtomicReference<Metadata>();
    var calls =
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(metadata),
            MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
    try {
      CreateEntityResponse response =
          ClientCalls.blockingUnaryCall(
              calls,
              EntityServiceGrpc.getCreateEntityMethod(),
              CallOptions.DEFAULT,
              CreateEntityRequest.newBuilder().setEntityId(entityId).build());
      return new Answer(Status.OK, response.getEntity().getId(), trailers.get());
    } catch (StatusRuntimeException failed) {
      return new Answer(failed.getStatus(), "", trailers.get());
    }
  }

  private static void assertRefused(Answer answer, Status.Code code, String reason) {
    assertThat(answer.status().getCode()).as("%s", answer.status()).isEqualTo(code);
    assertThat(answer.trailer("hapax-reason")).isEqualTo(reason);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"JAVA", "GO"})
  @DisplayName(
      "given a response, when the call is sent again, then it is replayed; another request is refused")
  void replays(Kit kit) throws Exception {
    serve(
        kit,
        "[{\"effect\": \"pay\"}]",
        (scene, program, channel) -> {
          var first = call(channel, "k", "order-17");
          assertThat(first.entityId()).as("%s", first).isEqualTo("order-17");
          assertThat(first.trailer("idempotent-replayed")).isEmpty();

          var second = call(channel, "k", "order-17");
          assertThat(second.entityId()).as("%s", second).isEqualTo("order-17");
          assertThat(second.trailer("idempotent-replayed")).isEqualTo("true");

          assertRefused(
              call(channel, "k", "order-18"),
              Status.Code.FAILED_PRECONDITION,
              "IDEMPOTENCY_KEY_REUSED");
          assertThat(scene.effects()).containsExactly("order-17");
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"JAVA", "GO"})
  @DisplayName("given a call in progress, then another one with its key is aborted")
  void inProgress(Kit kit) throws Exception {
    serve(
        kit,
        "[{\"hold\": \"go\"}, {\"effect\": \"pay\"}]",
        (scene, program, channel) -> {
          var first = CompletableFuture.supplyAsync(() -> call(channel, "k", "order-17"));
          program.event("holds", "id", "order-17");
          var second = call(channel, "k", "order-17");
          assertRefused(second, Status.Code.ABORTED, "DUPLICATE_REQUEST");
          assertThat(Long.parseLong(second.trailer("grpc-retry-pushback-ms"))).isPositive();
          program.open("go");
          assertThat(first.get().entityId()).isEqualTo("order-17");
          assertThat(scene.effects()).containsExactly("order-17");
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"JAVA", "GO"})
  @DisplayName("given a call without a key, or with one that is too long, then it is refused")
  void badKeys(Kit kit) throws Exception {
    serve(
        kit,
        "[{\"effect\": \"pay\"}]",
        (scene, program, channel) -> {
          assertRefused(
              call(channel, "", "order-17"),
              Status.Code.INVALID_ARGUMENT,
              "IDEMPOTENCY_KEY_REQUIRED");
          assertRefused(
              call(channel, "k".repeat(256), "order-17"),
              Status.Code.INVALID_ARGUMENT,
              "IDEMPOTENCY_KEY_INVALID");
          assertThat(scene.effects()).isEmpty();
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"JAVA", "GO"})
  @DisplayName("given a handler that fails, then its status is sent, and the next call runs it")
  void failures(Kit kit) throws Exception {
    serve(
        kit,
        "[{\"effect\": \"try\"}, {\"fail\": \"retryable\"}]",
        (scene, program, channel) -> {
          for (var i = 0; i < 2; i++) {
            var answer = call(channel, "k", "order-17");
            assertThat(answer.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(answer.trailer("hapax-reason")).isEmpty();
          }
          assertThat(scene.effects()).containsExactly("order-17", "order-17");
        });
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"JAVA", "GO"})
  @DisplayName(
      "given a server that refuses the operation, then the status says nothing about the service")
  void refusals(Kit kit) throws Exception {
    var withoutKey = Map.of("HAPAX_TLS_CA", "", "HAPAX_API_KEY", "");
    try (var server = RefusingServer.start()) {
      serve(
          kit,
          server.target(),
          withoutKey,
          "[{\"effect\": \"pay\"}]",
          (scene, program, channel) -> {
            for (var key :
                List.of(RefusingServer.UNAUTHENTICATED, RefusingServer.PERMISSION_DENIED)) {
              var answer = call(channel, key, "order-17");
              assertRefused(answer, Status.Code.UNAVAILABLE, "IDEMPOTENCY_UNAVAILABLE");
              assertThat(answer.status().getDescription()).doesNotContain(RefusingServer.SECRET);
            }
            var invalid = call(channel, RefusingServer.INVALID_FIELD, "order-17");
            assertRefused(invalid, Status.Code.INVALID_ARGUMENT, "IDEMPOTENCY_KEY_INVALID");
            assertThat(invalid.status().getDescription()).doesNotContain(RefusingServer.SECRET);
            assertThat(scene.effects()).isEmpty();
          });
    }
  }
}
