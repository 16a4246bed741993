package dev.hapax.bootstrap.cli.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
class OperationCommandsIT {
  private static final String PLACE = "orders.v1.Orders/Place";

  private final Path folder = Files.createTempDirectory("hapax-operation");
  private final Server server;
  private final ManagedChannel channel;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();
  private String workspace = "";

  OperationCommandsIT() throws Exception {
    server =
        Server.start(
            ConfigReader.read(
                Map.of("listen", "127.0.0.1:0", "data-dir", folder.toString(), "drain", "1s"),
                Map.of(),
                Optional.empty()));
    channel = ManagedChannelBuilder.forTarget(server.address().toString()).usePlaintext().build();
  }

  @AfterAll
  void stop() throws IOException {
    channel.shutdownNow();
    server.close();
    EmbeddedDatabase.delete(folder);
  }

  @BeforeEach
  void ownWorkspace(TestInfo test) {
    workspace = test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
    out = new StringWriter();
    err = new StringWriter();
  }

  private int hapax(String... arguments) {
    var all = new ArrayList<>(List.of("operation"));
    all.addAll(List.of(arguments));
    all.add("--workspace=" + workspace);
    return HapaxCommand.commandLine(Map.of("HAPAX_SERVER", server.address().toString()))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private OperationServiceBlockingStub operations() {
    return OperationServiceGrpc.newBlockingStub(channel);
  }

  private BeginOperationResponse begin(String requestId) {
    return operations()
        .beginOperation(
            BeginOperationRequest.newBuilder()
                .setWorkspace(workspace)
                .setOperation(PLACE)
                .setRequestId(requestId)
                .setAccount("ann")
                .build());
  }

  private void complete(String requestId, String json) {
    var _ =
        operations()
            .completeOperation(
                CompleteOperationRequest.newBuilder()
                    .setWorkspace(workspace)
                    .setClaim(begin(requestId).getAcquired().getClaim())
                    .setResult(Payload.newBuilder().setJson(json))
                    .build());
  }

  @Test
  void listsInATableTheNewestFirst() {
    complete("k-1", "1");
    begin("k-2");

    assertThat(hapax("list")).isZero();

    var lines = out.toString().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("REQUEST ID").endsWith("LEASE LEFT");
    assertThat(lines.get(1)).startsWith("k-2").contains(PLACE, "ann", "IN_PROGRESS");
    assertThat(lines.get(2)).startsWith("k-1").contains("COMPLETED").endsWith("-");
  }

  @Test
  void listsOnlyWhatWasAskedFor() {
    complete("k-1", "1");
    begin("k-2");

    assertThat(hapax("list", "--state=OPERATION_STATE_COMPLETED", "--newer-than=1h")).isZero();
    assertThat(out.toString()).contains("k-1").doesNotContain("k-2");

    out = new StringWriter();
    assertThat(hapax("list", "--state=completed", "--state=in-progress", "--operation=" + PLACE))
        .isZero();
    assertThat(out.toString()).contains("k-1", "k-2");

    out = new StringWriter();
    assertThat(hapax("list", "--ended-since=1h", "--full", "--json")).isZero();
    assertThat(out.toString()).contains("k-1", "\"result\"").doesNotContain("k-2");

    out = new StringWriter();
    assertThat(hapax("list", "--failure-code=DECLINED", "--operation=other")).isZero();
    assertThat(out.toString()).doesNotContain("k-1", "k-2");

    out = new StringWriter();
    err = new StringWriter();
    assertThat(hapax("list", "--older-than=1h")).isZero();
    assertThat(out.toString()).startsWith("REQUEST ID").hasLineCount(1);
    assertThat(err.toString()).isEqualTo("hapax: no operations\n");
  }

  @Test
  void readsPagesUpToTheLimitAndPrintsOneObjectInALine() throws Exception {
    for (int i = 0; i < 5; i++) {
      begin("k-" + i);
    }

    assertThat(hapax("list", "--json", "--limit=3")).isZero();

    var lines = out.toString().lines().toList();
    assertThat(lines).hasSize(3);
    var first = Operation.newBuilder();
    JsonFormat.parser().merge(lines.getFirst(), first);
    assertThat(first.getRequestId()).isEqualTo("k-4");
    assertThat(first.getState()).isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
    assertThat(err.toString()).contains("there are more");
  }

  @Test
  void showsOne() {
    complete("k-1", "{\"total\": 20}");

    assertThat(hapax("get", "--operation=" + PLACE, "--request-id=k-1", "--account=ann")).isZero();
    assertThat(out.toString())
        .containsPattern("request id +k-1")
        .containsPattern("state +COMPLETED")
        .containsPattern("result +\\{\"total\": 20}");
  }

  @Test
  void saysThatThereIsNone() {
    assertThat(hapax("show", "--operation=" + PLACE, "--request-id=none")).isEqualTo(3);
    assertThat(err.toString()).startsWith("hapax: ").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void resolvesAsDoneOnceForAResolutionId() {
    begin("k-1");
    var arguments =
        new String[] {
          "resolve",
          "--operation=" + PLACE,
          "--request-id=k-1",
          "--account=ann",
          "--complete",
          "--result-json={\"by\": \"hand\"}",
          "--reason=found in the bank's list",
          "--resolution-id=r-1"
        };

    assertThat(hapax(arguments)).isZero();
    assertThat(out.toString())
        .containsPattern("state +COMPLETED")
        .containsPattern("resolution +found in the bank's list")
        .doesNotContain("already");
    assertThat(begin("k-1").getReplay().getResult().getJson()).isEqualTo("{\"by\": \"hand\"}");

    assertThat(hapax(arguments)).isZero();
    assertThat(out.toString()).contains("already resolved");
  }

  @Test
  void rejectsAndReleases() {
    begin("k-1");
    var key = List.of("--operation=" + PLACE, "--request-id=k-1", "--account=ann", "--reason=test");
    var reject = new ArrayList<>(List.of("resolve", "--reject=NOT_FOUND", "--message=gone"));
    reject.addAll(key);
    assertThat(hapax(reject.toArray(String[]::new))).isZero();
    assertThat(begin("k-1").getReplay().getFailure().getMessage()).isEqualTo("gone");

    var release = new ArrayList<>(List.of("resolve", "--release"));
    release.addAll(key);
    assertThat(hapax(release.toArray(String[]::new))).isZero();
    assertThat(begin("k-1").hasAcquired()).isTrue();
  }

  @Test
  void wantsExactlyOneResolutionAndAReason() {
    assertThat(hapax("resolve", "--operation=x", "--request-id=y", "--reason=z")).isEqualTo(2);
    assertThat(
            hapax(
                "resolve",
                "--operation=x",
                "--request-id=y",
                "--reason=z",
                "--release",
                "--complete"))
        .isEqualTo(2);
    assertThat(hapax("resolve", "--operation=x", "--request-id=y", "--release")).isEqualTo(2);
  }

  @Test
  void saysWhatToDoWithoutAServer() {
    assertThat(hapax("list", "--server=127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo(
            "hapax: cannot connect to a hapax server at 127.0.0.1:1: start one with `hapax serve`, or set"
                + " --server or HAPAX_SERVER\n");

    err = new StringWriter();
    assertThat(
            hapax(
                "resolve",
                "--server=127.0.0.1:1",
                "--operation=x",
                "--request-id=y",
                "--reason=z",
                "--release"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("--resolution-id ");
  }

  @AfterEach
  void neverAStackTrace() {
    assertThat(err.toString()).doesNotContain("\tat ");
  }
}
