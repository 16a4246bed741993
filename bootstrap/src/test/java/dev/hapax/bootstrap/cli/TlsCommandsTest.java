package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands to servers with and without TLS and keys, and what they print if one is wrong. */
class TlsCommandsTest {
  private static final String KEY =
      "hpx_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_2I5R77";
  private static final String OTHER_KEY =
      "hpx_zzzzzzzzzzzz_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz_2wC5I6";
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final TestCertificates AUTHORITY = TestCertificates.authority("test");

  @TempDir private Path folder = Path.of("");
  private final List<Server> servers = new ArrayList<>();
  private Optional<String> requiredKey = Optional.empty();

  private record Said(int code, String out, String err) {}

  @AfterEach
  void stop() {
    servers.forEach(Server::shutdownNow);
  }

  private static Said hapax(Map<String, String> environment, String... options) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        HapaxCommand.commandLine(environment)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                Stream.concat(Stream.of("run", "get", "run_x"), Stream.of(options))
                    .toArray(String[]::new));
    return new Said(code, out.toString(), err.toString());
  }

  /** Returns the port. */
  private int serve(ServerCredentials credentials) throws IOException {
    var server =
        Grpc.newServerBuilderForPort(0, credentials)
            .intercept(new KeyCheck())
            .addService(new OneRun())
            .build()
            .start();
    servers.add(server);
    return server.getPort();
  }

  private Path authority() throws IOException {
    return Files.writeString(folder.resolve("authority.pem"), AUTHORITY.pem());
  }

  private TlsServerCredentials.Builder tls(TestCertificates.Request request) throws IOException {
    AUTHORITY.issue(request).writeTo(folder);
    return TlsServerCredentials.newBuilder()
        .keyManager(folder.resolve("tls.crt").toFile(), folder.resolve("tls.key").toFile());
  }

  private int serveTls(String name) throws IOException {
    return serve(tls(TestCertificates.Request.of(name)).build());
  }

  @Test
  @DisplayName("given a server with TLS and keys, then options and variables reach it")
  void reaches() throws IOException {
    requiredKey = Optional.of(KEY);
    var server = "localhost:" + serveTls("localhost");
    var file = Files.writeString(folder.resolve("key"), KEY + "\n").toString();
    var ca = authority().toString();
    var withOptions =
        hapax(Map.of(), "--server=" + server, "--tls", "--tls-ca", ca, "--api-key-file", file);
    assertThat(withOptions.err()).isEmpty();
    assertThat(withOptions.out()).contains("run_x");

    var variables = Map.of("HAPAX_SERVER", server, "HAPAX_TLS_CA", ca, "HAPAX_API_KEY", KEY);
    assertThat(hapax(variables)).extracting(Said::code, Said::err).containsExactly(0, "");
    var otherVariables =
        Map.of("HAPAX_SERVER", server, "HAPAX_TLS_CA", ca, "HAPAX_API_KEY", OTHER_KEY);
    assertThat(hapax(otherVariables, "--api-key-file", file).code()).isZero();
    var other = hapax(otherVariables);
    assertThat(other.code()).isEqualTo(1);
    assertThat(other.err())
        .startsWith("hapax: the API key is not accepted\nGive an API key with --api-key-file, ")
        .hasLineCount(2)
        .doesNotContain("zzzz");
  }

  @Test
  @DisplayName("given https:// before the address, then the command connects with TLS")
  void scheme() throws IOException {
    var server = "https://127.0.0.1:" + serveTls("127.0.0.1");
    var ca = "--tls-ca=" + authority();

    assertThat(hapax(Map.of(), ca, "--server=" + server).code()).isZero();
    assertThat(hapax(Map.of("HAPAX_SERVER", server), ca).code()).isZero();
    assertThat(hapax(Map.of("HAPAX_SERVER", server)).err()).contains("from an unknown authority");
  }

  /** What the command prints for a server, after its address. */
  private static void assertFails(int port, String message, String... options) {
    var server = "localhost:" + port;
    var all = Stream.concat(Stream.of("--server=" + server), Stream.of(options));
    var said = hapax(Map.of(), all.toArray(String[]::new));
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err())
        .startsWith("hapax: " + message.replace("SERVER", server))
        .hasLineCount(1);
  }

  @Test
  @DisplayName("given TLS on one side only, then the message says which")
  void oneSide() throws IOException {
    assertFails(
        serveTls("localhost"),
        "the server at SERVER closed the connection: if it uses TLS, connect with --tls or"
            + " HAPAX_TLS=true\n");
    assertFails(
        serve(InsecureServerCredentials.create()),
        "the server at SERVER does not use TLS: connect without --tls and https://\n",
        "--tls");
  }

  @Test
  @DisplayName("given a certificate that cannot be trusted, then the message says why")
  void untrusted() throws IOException {
    var ca = "--tls-ca=" + authority();
    assertFails(
        serveTls("localhost"),
        "the certificate of SERVER is from an unknown authority: name the file of its authority"
            + " with --tls-ca or HAPAX_TLS_CA\n",
        "--tls");
    assertFails(
        serveTls("elsewhere.invalid"),
        "the certificate of SERVER is not for this host: No subject alternative DNS name matching"
            + " localhost found",
        ca);
    var day = Duration.ofDays(1);
    var yesterday = Instant.now().minus(day);
    assertFails(
        serve(
            tls(TestCertificates.Request.of("localhost").valid(yesterday.minus(day), yesterday))
                .build()),
        "the certificate of SERVER has expired: NotAfter: ",
        ca);
  }

  @Test
  @DisplayName("given a server that requires a client certificate, then one reaches it")
  void clientCertificate() throws IOException {
    var ca = "--tls-ca=" + authority();
    int port =
        serve(
            tls(TestCertificates.Request.of("localhost"))
                .trustManager(authority().toFile())
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build());

    assertFails(
        port,
        "the server at SERVER requires a client certificate: give it with --tls-cert and"
            + " --tls-key\n",
        ca);
    var said =
        hapax(
            Map.of(),
            "--server=localhost:" + port,
            ca,
            "--tls-cert=" + folder.resolve("tls.crt"),
            "--tls-key=" + folder.resolve("tls.key"));
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
  }

  @Test
  @Tag("A9")
  @DisplayName("given a key or a file that is unusable, then nothing is sent, and it is named")
  void unusable() throws IOException {
    var nowhere = "--server=127.0.0.1:1";
    var missing = folder.resolve("missing").toString();
    var cut = Files.writeString(folder.resolve("cut"), KEY.substring(0, 40)).toString();

    var file = hapax(Map.of(), nowhere, "--api-key-file", missing);
    assertThat(file.code()).isEqualTo(2);
    assertThat(file.err()).startsWith("hapax: the API key file " + missing + " does not exist\n");
    assertThat(hapax(Map.of(), nowhere, "--api-key-file", cut).err())
        .startsWith("hapax: the API key file " + cut + " is not an API key, or was mistyped or cut")
        .doesNotContain("ABCDEFG");
    var variable = hapax(Map.of("HAPAX_API_KEY", KEY + "x"), nowhere);
    assertThat(variable.code()).isEqualTo(2);
    assertThat(variable.err())
        .startsWith("hapax: HAPAX_API_KEY is not an API key")
        .doesNotContain("ABCDEFG");
    assertThat(hapax(Map.of(), nowhere, "--tls-ca", missing).err())
        .startsWith("hapax: the certificate authority file " + missing + " does not exist\n");
    assertThat(hapax(Map.of(), nowhere, "--tls-cert", missing).err()).contains("--tls-key");
    assertThat(hapax(Map.of("HAPAX_TLS", "yes"), nowhere).err())
        .startsWith("hapax: HAPAX_TLS must be true or false (was yes)\n");
  }

  private final class KeyCheck implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      if (requiredKey
          .map(key -> ("Bearer " + key).equals(headers.get(AUTHORIZATION)))
          .orElse(true)) {
        return next.startCall(call, headers);
      }
      call.close(
          Status.UNAUTHENTICATED.withDescription("the API key is not accepted"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }

  private static final class OneRun extends RunServiceGrpc.RunServiceImplBase {
    @Override
    public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> caller) {
      caller.onNext(
          GetRunResponse.newBuilder().setRun(Run.newBuilder().setId(request.getRunId())).build());
      caller.onCompleted();
    }
  }
}
