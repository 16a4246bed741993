package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.Entity;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.RunStatus;
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
  @DisplayName("given overdue janitors and an operation without outcome, then each is named")
  void overdue() {
    var late = Janitor.newBuilder().setModule("billing").setOverdue(true);
    api.janitors =
        List.of(
            late.setContract(JanitorContract.getDefaultInstance()).build(),
            Janitor.newBuilder().setModule("mail").setOverdue(true).build());
    api.operations =
        List.of(
            Operation.newBuilder()
                .setOperation("orders.v1.Orders/Place")
                .setRequestId("order-17")
                .setState(OperationState.OPERATION_STATE_INDETERMINATE)
                .setEndedAt(ago(60))
                .build());
    assertThat(body())
        .contains(
            ">janitor billing</a></b>: no sweep has completed in time",
            ">janitor mail</a></b>: lifecycles need it, and none is declared",
            "request=order-17\">operation orders.v1.Orders/Place order-17</a></b>: it is unknown");
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

  @Test
  @DisplayName("given more operations without outcome than are shown, then a link has the others")
  void manyOperations() {
    var indeterminate =
        Operation.newBuilder()
            .setOperation("orders.v1.Orders/Place")
            .setAccount("acme")
            .setState(OperationState.OPERATION_STATE_INDETERMINATE);
    api.operations = Collections.nCopies(20, indeterminate.setRequestId("order-17").build());
    assertThat(body())
        .contains("order-17 of account acme</a></b>: it is unknown")
        .doesNotContain("more operations");
    api.operations = Collections.nCopies(21, indeterminate.build());
    assertThat(body()).contains("operations?state=INDETERMINATE\">more operations</a></b>");
  }

  private static Operation held(String requestId, int expiredFor) {
    return Operation.newBuilder()
        .setOperation("orders.v1.Orders/Place")
        .setRequestId(requestId)
        .setState(OperationState.OPERATION_STATE_IN_PROGRESS)
        .setLeaseUntil(ago(expiredFor))
        .build();
  }

  private static HeldClaim claim(String id, int expiredFor) {
    return HeldClaim.newBuilder()
        .setEntity(Entity.newBuilder().setLifecycle("invoice").setId(id))
        .setLeaseUntil(ago(expiredFor))
        .setFreedBy("SweepJanitor")
        .build();
  }

  @Test
  @DisplayName("given leases that expired more than a minute ago, then each is named")
  void expired() {
    api.operations = List.of(held("dead", 300), held("just", 10), held("alive", -60));
    api.claims = List.of(claim("old", 300), claim("new", 10), claim("live", -60));
    assertThat(body())
        .contains(
            ">operation orders.v1.Orders/Place dead</a></b>: the lease of its holder has expired",
            ">entity invoice/old</a></b>: the lease of its holder has expired",
            "It is freed by SweepJanitor.")
        .doesNotContain("Place just", "Place alive", "invoice/new", "invoice/live");
  }

  @Test
  @DisplayName("given visits, then the numbers of the last hour are drawn and said")
  void trend() {
    assertThat(body()).contains("aria-label=\"0 now; from 0 to 0 in the last hour\"");
    api.counts =
        List.of(
            RunCount.newBuilder()
                .setDefinition("order")
                .setStatus(RunStatus.RUN_STATUS_WAITING)
                .setRuns(7)
                .build());
    api.queues = List.of(queue(4, 1).setPollsWaiting(1).build());
    assertThat(body())
        .contains("aria-label=\"7 now; from 7 to 7", "aria-label=\"4 now;", "d=\"M59 16V0h1V16z\"");
  }
}
