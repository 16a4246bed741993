package dev.hapax.bootstrap.demo;

import dev.hapax.client.Hapax;
import dev.hapax.client.JanitorTerms;
import dev.hapax.client.Run;
import dev.hapax.client.Value;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.RunStatus;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Scene 5: clerks act on one order, one at a time, and the first one stalls. */
final class ClerksScene {
  private static final int CLERKS = 4;
  private static final int LEASE_SECONDS = 2;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final OrderRequest REQUEST = OrderRequest.number(5);
  private static final String LIFECYCLE = "orders";
  private static final String EFFECT = "SendReceipt";
  private static final String PLACED = "placed";
  private static final String COLLECTED = "collected";
  private static final String JSON =
      """
      { "lifecycle": "orders", "module": "shop", "entity": "orders",
        "status_types": ["placed", "collecting", "collected"],
        "steps": [ { "step_key": "collect", "status": "placed", "action": "Collect",
            "claim_state": ["collecting", "placed"], "successful_state": "collected",
            "success_after_effect": "SendReceipt" } ] }
      """;

  private final DemoEnvironment stage;
  private final DemoOutput screen;
  private final OrderCallers callers;
  private final Hapax hapax;
  private final ManagedChannel provider;
  private final Payments payments;
  private final AtomicInteger receipts = new AtomicInteger();

  private record Held(String clerk, BeginActionResponse.Granted grant) {
    long fence() {
      return grant.getClaim().getFence();
    }
  }

  ClerksScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {
    this.stage = stage;
    this.screen = screen;
    this.callers = callers;
    this.hapax = stage.hapax();
    this.provider =
        NettyChannelBuilder.forTarget(stage.payments().address()).usePlaintext().build();
    this.payments = new Payments(provider);
  }

  /** Plays the scene and returns the number of receipts sent. */
  int claimed() throws Exception {
    screen.heading("5. Four clerks collect the same order concurrently");
    screen.say(
        """
        Only one clerk at a time can claim an order. The first one stalls. When its lease of 2 s
        expires, the janitor reverts the order, and Jon collects it with a higher fence. The
        receipt is an after-effect: it is sent if and only if the order was collected.""");
    declare();
    screen.tableHead("who", "action", "result");
    try (var _ =
        hapax
            .worker()
            .workerId("mailer")
            .step(EFFECT, "hapax.after-effect", "after-effect", _ -> send())
            .start()) {
      var stalled = together();
      screen.event(stalled.clerk() + " stalls");
      awaitPlaced();
      var second = begin("Jon");
      collect(second);
      screen.event(stalled.clerk() + " continues");
      collect(stalled);
      await();
    } finally {
      provider.shutdownNow();
    }
    screen.result(stage.ledger(), REQUEST.order());
    screen.good(String.format(Locale.ROOT, "= %d receipt was sent", receipts.get()));
    return receipts.get();
  }

  private Value send() {
    return new Value.Json(Integer.toString(receipts.incrementAndGet()));
  }

  /** Applies the lifecycle with its janitor: it is rejected without one. */
  private void declare() {
    var janitor =
        JanitorTerms.hosted("shop", "collecting")
            .staleAfter(Duration.ofSeconds(LEASE_SECONDS))
            .every(Duration.ofSeconds(1));
    var _ = hapax.lifecycles().apply(List.of(JSON), List.of(janitor), "");
    var _ = hapax.entities().create(LIFECYCLE, REQUEST.order().id(), PLACED);
  }

  private BeginActionRequest request(String clerk) {
    callers.sent(REQUEST);
    return BeginActionRequest.newBuilder()
        .setLifecycle(LIFECYCLE)
        .setEntityId(REQUEST.order().id())
        .setStepKey("collect")
        .setRequester("clerk")
        .setAttemptId(clerk)
        .setActor(clerk)
        .build();
  }

  /** Begins by single calls: the client library would also end what a clerk has begun. */
  private Held together() throws IOException, InterruptedException {
    var begun = new ArrayList<Future<BeginActionResponse>>();
    try (var clerks = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 1; i <= CLERKS; i++) {
        var request = request("clerk-" + i);
        begun.add(clerks.submit(() -> call(request)));
      }
    }
    var held = new ArrayList<Held>();
    var failed = new ArrayList<String>();
    for (int i = 1; i <= CLERKS; i++) {
      var answer = await(begun.get(i - 1));
      if (answer.hasGranted()) {
        held.add(new Held("clerk-" + i, answer.getGranted()));
      } else {
        failed.add(answer.getClaimFailed().getMessage());
      }
    }
    if (held.size() != 1 || failed.size() != CLERKS - 1) {
      throw new IOException("not exactly one clerk holds the order: " + held);
    }
    granted(held.getFirst());
    screen.row(failed.size() + " clerks", "begin to collect it as well", "claim_failed");
    screen.row("", "", failed.getFirst());
    return held.getFirst();
  }

  private BeginActionResponse call(BeginActionRequest request) {
    return hapax.call(request, BeginActionResponse.getDefaultInstance());
  }

  private static <T> T await(Future<T> call) throws InterruptedException, IOException {
    try {
      return call.get();
    } catch (ExecutionException e) {
      throw new IOException("a clerk got no response", e);
    }
  }

  private Held begin(String clerk) throws IOException {
    var answer = call(request(clerk));
    if (!answer.hasGranted()) {
      throw new IOException(clerk + " did not get the order: " + answer);
    }
    var held = new Held(clerk, answer.getGranted());
    granted(held);
    return held;
  }

  private void granted(Held held) {
    screen.row(
        held.clerk(), "begins to collect " + REQUEST.order(), "granted, fence " + held.fence());
  }

  private void awaitPlaced() throws InterruptedException, IOException {
    var deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!status().equals(PLACED)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the janitor did not revert the order");
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    screen.row("Hapax", "the lease expired", "the order is " + PLACED + " again");
  }

  private String status() {
    return hapax.entities().get(LIFECYCLE, REQUEST.order().id()).status();
  }

  /** Charges with the fence, then completes the action. */
  private void collect(Held held) {
    var charge = new Charge(REQUEST.order(), held.fence(), held.clerk());
    payments.announce(charge);
    screen.row(held.clerk(), "charges with its fence", charged(charge));
    var completed =
        hapax.call(
            CompleteActionRequest.newBuilder().setClaim(held.grant().getClaim()).build(),
            CompleteActionResponse.getDefaultInstance());
    screen.row(held.clerk(), "completes", outcome(completed));
  }

  private String charged(Charge charge) {
    try {
      return payments.charge(charge).toString();
    } catch (StatusRuntimeException e) {
      return "rejected: " + e.getStatus().getDescription();
    }
  }

  private static String outcome(CompleteActionResponse answer) {
    return switch (answer.getOutcomeCase()) {
      case COMPLETED -> "the order is " + answer.getCompleted().getEntity().getStatus();
      case CLAIM_LOST ->
          "claim_lost: "
              + answer.getClaimLost().getReason().name().replace("CLAIM_LOST_REASON_", "");
      case OUTCOME_NOT_SET -> "nothing";
    };
  }

  /** Waits for the after-effects of the order. */
  private void await() throws IOException {
    for (var effect : effects()) {
      var ended = hapax.runs().await(effect.id(), TIMEOUT);
      if (ended.status() != RunStatus.RUN_STATUS_COMPLETED) {
        throw new IOException("the receipt was not sent: " + ended.status());
      }
      screen.row("mailer", EFFECT + " when it is " + COLLECTED, ended.id());
    }
  }

  private List<Run> effects() {
    return hapax.runs().list(filter -> filter.definition("hapax.after-effect")).toList();
  }
}
