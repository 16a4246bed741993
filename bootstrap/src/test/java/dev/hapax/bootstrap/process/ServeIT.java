package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
class ServeIT {
  private static final Duration DRAIN = Duration.ofSeconds(20);

  @TempDir private Path folder = Path.of("");
  private DataDir dataDir = new DataDir(folder);

  @BeforeEach
  void nameFolder() {
    dataDir = new DataDir(folder);
  }

  @AfterEach
  void endPostgres() throws IOException {
    dataDir.close();
  }

  private HapaxProcess serve() {
    return HapaxProcess.start(
        "serve",
        "--listen=127.0.0.1:0",
        "--data-dir=" + folder,
        "--drain=" + DRAIN.toSeconds() + "s");
  }

  @Test
  void servesHealthAndReflectionUntilSigterm() throws Exception {
    try (var hapax = serve()) {
      var channel = channel(hapax.awaitReady());
      assertThat(health(channel)).isEqualTo(ServingStatus.SERVING);
      assertThat(services(channel)).contains("grpc.health.v1.Health");
      var watch = watchHealth(channel);

      hapax.terminate();

      assertThat(watch.read().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      // an endless health watch must not use up the drain
      long began = System.nanoTime();
      assertThat(hapax.awaitExit()).isZero();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(DRAIN);
      assertThat(hapax.output()).hasSize(1);
      assertThat(dataDir.postmaster()).isEmpty();
      channel.shutdownNow();
    }
  }

  @Test
  void stopsInOrderWhileItStarts() throws Exception {
    try (var hapax = serve()) {
      hapax.awaitError(line -> line.contains("creating a new database"));
      hapax.terminate();

      assertThat(hapax.awaitExit()).isZero();
      assertThat(hapax.output()).isEmpty();
      assertThat(dataDir.postmaster()).isEmpty();
    }
  }

  @Test
  void startsAgainAfterSigkill() throws Exception {
    long survivor;
    try (var first = serve()) {
      first.awaitReady();
      first.kill9();
      survivor = dataDir.postmaster().orElseThrow().pid();
    }

    try (var second = serve()) {
      var channel = channel(second.awaitReady());
      assertThat(health(channel)).isEqualTo(ServingStatus.SERVING);
      second.awaitError(line -> line.contains("PostgreSQL of an earlier run (process " + survivor));
      channel.shutdownNow();
      second.terminate();
      assertThat(second.awaitExit()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x$(touch INJECTED)y", "x`touch INJECTED`y", "cash$5", "a\"b", "a\\\\b", "link"})
  @DisplayName(
      "given a data folder whose name a shell would change, or a link to one, when a server starts,"
          + " then it exits with 2, and no command was run [public-reports-F5]")
  void shellCharacters(String name) throws IOException {
    Files.createSymbolicLink(
        folder.resolve("link"), Files.createDirectory(folder.resolve("$(touch INJECTED)")));
    try (var hapax =
        HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + folder.resolve(name))) {
      assertThat(hapax.awaitExit()).isEqualTo(2);
      assertThat(hapax.errors().getLast()).contains("--data-dir=", "must not have $");
    }
    assertThat(Path.of("INJECTED")).doesNotExist();
    assertThat(folder.resolve(name))
        .satisfiesAnyOf(
            path -> assertThat(path).doesNotExist(), path -> assertThat(path).isEmptyDirectory());
  }

  @Test
  void refusesTheFolderOfAnotherHapax() {
    try (var first = serve();
        var second = awaitReadyThenServe(first)) {
      assertThat(second.awaitExit()).isEqualTo(1);
      assertThat(second.errors().getLast())
          .isEqualTo(
              String.format(
                      Locale.ROOT,
                      "hapax: another hapax (process %d) is using %s: stop it, or set another folder",
                      first.pid(),
                      folder)
                  + " with --data-dir");
      first.terminate();
      assertThat(first.awaitExit()).isZero();
    }
  }

  private HapaxProcess awaitReadyThenServe(HapaxProcess first) {
    first.awaitReady();
    return serve();
  }

  @Test
  void registersDefinitionsOrDoesNotStart() throws Exception {
    var definitions = Files.createDirectories(folder.resolve("definitions"));
    var file = definitions.resolve("nap.json");
    var nap =
        "{\"name\": \"nap\", \"version\": \"1\","
            + " \"steps\": [{\"name\": \"sleep\", \"timer\": {\"duration\": \"1s\"}}]}";
    Files.writeString(file, nap);
    for (var known : new String[] {"1 new", "0 new"}) {
      try (var hapax = serveWith(definitions)) {
        hapax.awaitReady();
        hapax.awaitError(line -> line.endsWith("1 loaded, " + known));
        hapax.terminate();
        assertThat(hapax.awaitExit()).isZero();
      }
    }

    Files.writeString(file, nap.replace("1s", "2s"));
    try (var changed = serveWith(definitions)) {
      assertThat(changed.awaitExit()).isEqualTo(2);
      assertThat(changed.output()).isEmpty();
      assertThat(changed.errors().getLast())
          .startsWith("hapax: " + file + ": nap 1 is already registered with other steps");
    }
    assertThat(dataDir.postmaster()).isEmpty();

    Files.writeString(file, nap.replace("timer", "time"));
    try (var invalid = serveWith(definitions)) {
      assertThat(invalid.awaitExit()).isEqualTo(2);
      assertThat(String.join("\n", invalid.errors()))
          .contains("  - " + file + ": steps[0].time is not a field")
          .contains("  - " + file + ": steps[0].kind must be")
          .doesNotContain("PostgreSQL serves");
    }
  }

  private HapaxProcess serveWith(Path definitions) {
    return HapaxProcess.start(
        "serve", "--listen=127.0.0.1:0", "--data-dir=" + folder, "--definitions=" + definitions);
  }

  @Test
  void refusesOtherMachinesUnlessInsecure() {
    try (var hapax = HapaxProcess.start("serve", "--listen=0.0.0.0:0", "--data-dir=" + folder)) {
      assertThat(hapax.awaitExit()).isEqualTo(2);
      assertThat(hapax.errors()).hasSize(1);
      assertThat(hapax.errors().getFirst()).contains("--listen=0.0.0.0:0").contains("--insecure");
    }
  }

  @Test
  void refusesUnknownOptions() {
    try (var option = HapaxProcess.start("serve", "--lisen=127.0.0.1:0")) {
      assertThat(option.awaitExit()).isEqualTo(2);
      assertThat(option.errors().getFirst()).contains("--lisen");
    }
  }

  @Test
  void namesAPortThatIsTaken() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var hapax =
            HapaxProcess.start(
                "serve", "--listen=127.0.0.1:" + taken.getLocalPort(), "--data-dir=" + folder)) {
      assertThat(hapax.awaitExit()).isEqualTo(9);
      assertThat(hapax.errors().getLast())
          .startsWith("hapax: cannot listen on 127.0.0.1:" + taken.getLocalPort())
          .contains("in use");
      assertThat(hapax.output()).isEmpty();
    }
  }

  private static ManagedChannel channel(String target) {
    return ManagedChannelBuilder.forTarget(target).usePlaintext().build();
  }

  private static ServingStatus health(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private static BlockingClientCall<?, HealthCheckResponse> watchHealth(ManagedChannel channel)
      throws Exception {
    var watch =
        HealthGrpc.newBlockingV2Stub(channel).watch(HealthCheckRequest.getDefaultInstance());
    assertThat(watch.read().getStatus()).isEqualTo(ServingStatus.SERVING);
    return watch;
  }

  private static String services(ManagedChannel channel) throws Exception {
    BlockingClientCall<ServerReflectionRequest, ServerReflectionResponse> call =
        ServerReflectionGrpc.newBlockingV2Stub(channel)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .serverReflectionInfo();
    call.write(ServerReflectionRequest.newBuilder().setListServices("").build());
    var answer = call.read().toString();
    call.halfClose();
    return answer;
  }
}
