package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.hapax.v1.CertificateState;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.Problem;
import dev.hapax.v1.ProblemKind;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.ServerState;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OverviewTest {
  private static final String OVERVIEW = "/w/default/";
  private static final String CALM = "Nothing: no run has failed";

  private final ConsoleFixture console = new ConsoleFixture();
  private final FakeApi api = console.api;

  OverviewTest() throws IOException {}

  @AfterEach
  void stop() {
    console.close();
  }

  private String body() {
    return console.browser.get(OVERVIEW).body();
  }

  private static Timestamp ago(int seconds) {
    return Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond() - seconds).build();
  }

  private static QueueState.Builder queue(int ready, int readyFor) {
    return QueueState.newBuilder().setQueue("mail").setReady(ready).setOldestReadyAt(ago(readyFor));
  }

  @Test
  @DisplayName("given work that goes on, then nothing is stuck")
  void calm() {
    api.queues = List.of(queue(3, 5).setPollsWaiting(1).build());
    api.janitors = List.of(Janitor.newBuilder().setModule("billing").build());
    assertThat(body()).contains(CALM);
  }

  @Test
  @DisplayName("given a task without workers, then the queue is stuck after some seconds")
  void unattended() {
    api.queues = List.of(queue(1, 0).build());
    assertThat(body()).contains(CALM);
    api.queues = List.of(queue(1, 10).build());
    assertThat(body())
        .contains("queues\">queue mail</a></b>: 1 task waits, and no worker polls")
        .doesNotContain(CALM);
  }

  @Test
  @DisplayName("given workers that are behind, then the queue is stuck after a minute")
  void late() {
    api.queues = List.of(queue(2, 300).setHeld(4).build());
    assertThat(body()).contains("queues\">queue mail</a></b>: 2 tasks wait, and workers hold 4");
    api.queues = List.of(queue(2, 300).setPollsWaiting(1).build());
    assertThat(body()).contains("queues\">queue mail</a></b>: 2 tasks wait, and workers hold none");
  }

  @Test
  @DisplayName("given overdue janitors, then each is named")
  void overdue() {
    var late = Janitor.newBuilder().setModule("billing").setOverdue(true);
    api.janitors =
        List.of(
            late.setContract(JanitorContract.getDefaultInstance()).build(),
            Janitor.newBuilder().setModule("mail").setOverdue(true).build());
    assertThat(body())
        .contains(
            ">janitor billing</a></b>: no sweep has completed in time",
            ">janitor mail</a></b>: lifecycles need it, and none is declared");
  }

  @Test
  @DisplayName("given more queues than a page has, then one on the last page is checked")
  void manyQueues() {
    var queues = new ArrayList<>(Collections.nCopies(100, queue(0, 0).setQueue("calm").build()));
    api.queues = queues;
    assertThat(body()).contains(CALM).doesNotContain("All queues");

    queues.addAll(Collections.nCopies(500, queues.getFirst()));
    queues.add(queue(1, 10).setQueue("zoo").build());
    assertThat(body()).contains(">queue zoo</a></b>", "All queues").doesNotContain(CALM);
  }

  @Test
  @DisplayName("given more janitors than a page has, then one on the last page is named")
  void manyJanitors() {
    var janitors = new ArrayList<>(Collections.nCopies(600, Janitor.getDefaultInstance()));
    janitors.add(Janitor.newBuilder().setModule("zoo").setOverdue(true).build());
    api.janitors = janitors;
    assertThat(body()).contains(">janitor zoo</a></b>").doesNotContain(CALM);
  }

  private static Problem.Builder problem(ProblemKind kind, int firstAgo) {
    return Problem.newBuilder()
        .setKind(kind)
        .setCount(3)
        .setFirstAt(ago(firstAgo))
        .setLastAt(ago(120));
  }

  @Test
  @DisplayName(
      "given many items of one cause, then they are one line, and the oldest cause is first")
  void grouped() {
    api.problems =
        List.of(
            problem(ProblemKind.PROBLEM_KIND_OPERATION_ABANDONED, 600)
                .setName("bulk.v1.Mail/Send")
                .setCount(300)
                .setLastHour(300)
                .build(),
            problem(ProblemKind.PROBLEM_KIND_OPERATION_IN_DOUBT, 1_800)
                .setName("psp.v1.Charge/Create")
                .build(),
            problem(ProblemKind.PROBLEM_KIND_RUN_FAILED, 60)
                .setName("import")
                .setVersion("2")
                .setStep("fetch")
                .setFailureCode("HTTP_429")
                .setCount(1_000)
                .setTruncated(true)
                .setLastHour(50)
                .build());
    assertThat(body())
        .containsSubsequence(
            "operations?state=INDETERMINATE&amp;operation=psp.v1.Charge%2FCreate\">operation psp.v1.Charge/Create</a></b>: 3: it is unknown whether they took effect",
            ">operation bulk.v1.Mail/Send</a></b>: 300: the lease of the holder has expired, and no call has taken them over, the last one 2 min ago, 300 in the last hour",
            ">runs of import 2, fetch</a></b>: 1,000 or more: failed with HTTP_429")
        .doesNotContain(CALM);
  }

  @Test
  @DisplayName("given each kind of problem, then it has a line")
  void kinds() {
    for (var kind : ProblemKind.values()) {
      if (kind != ProblemKind.PROBLEM_KIND_UNSPECIFIED && kind != ProblemKind.UNRECOGNIZED) {
        api.problems = List.of(problem(kind, 60).setName("the-name").build());
        assertThat(body()).contains("the-name").doesNotContain(CALM);
      }
    }
  }

  @Test
  @DisplayName("given a workspace without records, then the page says so instead of being calm")
  void unknown() {
    api.isKnown = false;
    assertThat(body()).contains("The workspace default has no records.").doesNotContain(CALM);
  }

  @Test
  @DisplayName("given several cells, then the cell is shown, and a workspace that moves says so")
  void cells() {
    assertThat(body()).doesNotContain("is in cell");
    api.cell = "eu";
    assertThat(body()).contains("Workspace default is in cell eu.");
    api.movingTo = "us";
    assertThat(body()).contains("Workspace default is in cell eu, and it moves to cell us.");
  }

  private static CertificateState certificate(String use, int days) {
    return CertificateState.newBuilder()
        .setUse(use)
        .setExpiresAt(ago(-days * 86_400 - 600))
        .build();
  }

  @Test
  @DisplayName("given a certificate that expires within a week, then an alarm is above all")
  void certificates() {
    var server =
        ServerState.newBuilder()
            .setId("s-1")
            .setSeenAt(ago(5))
            .setRunning(true)
            .setCommitters(4)
            .setApiKeys(3)
            .setApiKeysReadAt(ago(200))
            .setClockOffset(Durations.fromMillis(-1_500))
            .addCertificates(certificate("server", 8))
            .addCertificates(certificate("client-ca", 400));
    api.servers = List.of(server.build());
    assertThat(body()).doesNotContain("A certificate");
    api.servers = List.of(server.setCertificates(0, certificate("server", 5)).build());
    assertThat(body())
        .containsSubsequence(
            "A certificate (server) of server s-1 expires in 5 d (", "id=\"totals\"")
        .doesNotContain("client-ca");
    api.intents = 7;
    assertThat(console.browser.get("/w/default/servers").body())
        .contains(
            ">-1,500 ms</td>",
            ">4</td>",
            ">3, read 3 min ago</td>",
            "<b class=\"failure\">5 days</b>",
            ">400 days</td>",
            "7 intents of SQL wait for a server, the oldest was posted 5 min ago.");
    api.servers = List.of(server.setCertificates(0, certificate("server", -3)).build());
    assertThat(body()).contains("A certificate (server) of server s-1 expired 2 d ago (");
  }

  @Test
  @DisplayName("given a server that was killed, or several versions, then an alarm is above all")
  void servers() {
    var server = ServerState.newBuilder().setVersion("1.0.0").setSeenAt(ago(5)).setRunning(true);
    api.servers = List.of(server.build());
    assertThat(body()).doesNotContain("ended without a word", "several versions");
    api.servers =
        List.of(
            server.build(),
            server.clone().setVersion("1.1.0").build(),
            server.clone().setRunning(false).setSeenAt(ago(300)).build());
    assertThat(body())
        .containsSubsequence(
            "A server of version 1.0.0 ended without a word: its last heartbeat was 5 min ago",
            "Servers of several versions run: 1.0.0, 1.1.0.",
            "id=\"totals\"");
    assertThat(console.browser.get("/w/default/servers").body())
        .contains(
            "This server has version 1.2.0. The schema has version 40",
            "<b>ended without a word</b>");
  }
}
