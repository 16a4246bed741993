package dev.hapax.bootstrap.demo;

import dev.hapax.client.HookRequest;
import dev.hapax.client.Runs;
import dev.hapax.client.SignalRequest;
import dev.hapax.client.StartOptions;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/** Scene 4: concurrent starts with one token, with each conflict policy. */
final class SameOrderScene {
  private static final int CLICKS = 5;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration REMEMBERED = Duration.ofMinutes(10);
  private static final OrderRequest REQUEST = OrderRequest.number(4);
  private static final OrderRequest CHANGED = REQUEST.withEuros(25);

  private final DemoEnvironment stage;
  private final DemoOutput screen;
  private final OrderCallers callers;
  private final HookRequest token;
  private final String tokenText = "order/" + REQUEST.order().id();
  private final Runs runs;
  private final Set<String> made = new LinkedHashSet<>();
  private int keys;

  SameOrderScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {
    this.stage = stage;
    this.screen = screen;
    this.callers = callers;
    this.runs = stage.hapax().runs();
    this.token = HookRequest.of(tokenText).retention(REMEMBERED);
  }

  /** Plays the scene and returns the number of completed runs. */
  int triggered() throws Exception {
    screen.heading("4. Five callers start the same order concurrently");
    screen.say(
        """
        Fay clicks five times, with a new idempotency key each time. A token makes sure that only
        one run exists for the order: the run owns it until its end. Every later start chooses
        what happens then. The run waits for a confirmation before it charges.""");
    stage.hapax().definitions().register(OrderWorker.confirmedDefinition());
    screen.tableHead("who", "action", "result");
    var first = click();
    inspect("Fay");
    var second = supersede("Fay");
    screen.row("Fay", "gets the first run", first + " " + status(runs.get(first).status()));
    signal("Gus", second);
    adopt("Hal");
    screen.result(stage.ledger(), REQUEST.order());
    var completed =
        made.stream()
            .filter(run -> runs.get(run).status() == RunStatus.RUN_STATUS_COMPLETED)
            .count();
    screen.good(
        String.format(
            Locale.ROOT,
            "= %d starts, %d runs created, %d completed",
            keys,
            made.size(),
            completed));
    return (int) completed;
  }

  /** Starts five runs concurrently with the policy REJECT. */
  private String click() throws InterruptedException, IOException {
    var calls = new ArrayList<Future<StartRunResponse>>();
    try (var clicks = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLICKS; i++) {
        var request = request(REQUEST, token);
        calls.add(clicks.submit(() -> start(request)));
      }
    }
    var answers = new ArrayList<StartRunResponse>();
    for (var call : calls) {
      answers.add(await(call));
    }
    var owners = answers.stream().filter(StartRunResponse::getCreated).toList();
    owners.forEach(owner -> row("1 click", "starts " + REQUEST.order(), owner));
    var rejected =
        answers.stream()
            .filter(answer -> answer.getDisposition() == Disposition.DISPOSITION_REJECTED)
            .toList();
    if (owners.size() != 1 || rejected.size() != CLICKS - 1) {
      throw new IOException("more than one run has the same token: " + answers);
    }
    row(rejected.size() + " clicks", "start it (reject)", rejected.getFirst());
    return owners.getFirst().getRun().getId();
  }

  private static StartRunResponse await(Future<StartRunResponse> call)
      throws InterruptedException, IOException {
    try {
      return call.get();
    } catch (ExecutionException e) {
      throw new IOException("a click got no response", e);
    }
  }

  private void inspect(String who) {
    var owner = stage.hapax().hooks().get(tokenText);
    screen.row(who, "gets the owner", owner.runId() + " " + status(owner.status()));
  }

  private String supersede(String who) {
    var answer = start(request(CHANGED, token.supersede()));
    row(who, "starts " + CHANGED.order() + " (supersede)", answer);
    return answer.getRun().getId();
  }

  private void signal(String who, String owner) throws IOException {
    var answer =
        start(
            options ->
                request(REQUEST, token.signalExisting())
                    .apply(options)
                    .signal(SignalRequest.of(OrderWorker.CONFIRMED)));
    row(who, "starts it (signal-existing)", answer);
    if (!answer.getRun().getId().equals(owner)) {
      throw new IOException("the signal went to " + answer.getRun().getId());
    }
  }

  private void adopt(String who) throws IOException {
    var answer = start(request(REQUEST, token.useExisting()));
    row(who, "starts it (use-existing)", answer);
    var ended = runs.await(answer.getRun().getId(), TIMEOUT);
    if (ended.status() != RunStatus.RUN_STATUS_COMPLETED) {
      throw new IOException("the run did not complete: " + ended.status());
    }
    screen.row(who, "awaits the result of the owner", ended.message().getOutput().getJson());
  }

  /** Builds a start with a new idempotency key. */
  private UnaryOperator<StartOptions> request(OrderRequest request, HookRequest hook) {
    callers.sent(request);
    keys++;
    var key = "click-" + keys;
    return options -> options.key(key).input(OrderWorker.json(request.order())).hook(hook);
  }

  private StartRunResponse start(UnaryOperator<StartOptions> request) {
    return runs.start(OrderWorker.CONFIRMED_ORDER, request).message();
  }

  private void row(String who, String did, StartRunResponse answer) {
    if (answer.getCreated()) {
      made.add(answer.getRun().getId());
    }
    screen.row(who, did, String.join(" ", outcome(answer)));
  }

  private static List<String> outcome(StartRunResponse answer) {
    var what = answer.getDisposition().name().replace("DISPOSITION_", "");
    var owner = answer.getOwner();
    return switch (answer.getDisposition()) {
      case DISPOSITION_REJECTED ->
          List.of(what + ":", owner.getRunId(), "is", status(owner.getStatus()));
      case DISPOSITION_SUPERSEDED -> List.of(what + ":", answer.getRun().getId(), "owns the token");
      default -> List.of(what + ":", answer.getRun().getId());
    };
  }

  private static String status(RunStatus status) {
    return status.name().substring("RUN_STATUS_".length());
  }
}
