package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.lifecycle.Retirement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Applies a plan: contracts, lifecycles, then the contracts that the former lifecycles required. A
 * rejected lifecycle does not keep the others from being applied.
 */
public final class LifecycleDeployment {
  private static final long PAUSE_SECONDS = 1;

  private final LifecyclePlan plan;
  private final LifecycleTarget server;
  private final Listener listener;
  private final List<String> refusals = new ArrayList<>();

  /** Called for each applied file. */
  public interface Listener {
    void applied(LifecycleFile file, boolean already) throws IOException;
  }

  /** A call to the server. */
  private interface Request {
    ApplyAnswer send() throws IOException;
  }

  private LifecycleDeployment(LifecyclePlan plan, LifecycleTarget server, Listener listener) {
    this.plan = plan;
    this.server = server;
    this.listener = listener;
  }

  /** Applies all files and returns the reasons of rejected ones. */
  public static List<String> apply(LifecyclePlan plan, LifecycleTarget server, Listener listener)
      throws IOException {
    return new LifecycleDeployment(plan, server, listener).refusals();
  }

  private List<String> refusals() throws IOException {
    var postponed = new ArrayList<LifecycleFile.OfJanitor>();
    for (var file : plan.files().janitors().toList()) {
      var interim = plan.interimContract(file.contract());
      if (interim.isEmpty()) {
        declare(file);
      } else if (isDone(file, () -> server.declare(interim.get()))) {
        postponed.add(file);
      }
    }
    for (var file : plan.files().lifecycles().toList()) {
      send(file, () -> server.apply(file));
    }
    for (var file : refusals.isEmpty() ? postponed : List.<LifecycleFile.OfJanitor>of()) {
      declare(file);
    }
    return List.copyOf(refusals);
  }

  private void declare(LifecycleFile.OfJanitor file) throws IOException {
    JanitorContract contract = file.contract();
    send(file, () -> server.declare(contract));
  }

  private void send(LifecycleFile file, Request request) throws IOException {
    if (sendWithRetry(file, request) instanceof ApplyAnswer.Done(var already)) {
      listener.applied(file, already);
    }
  }

  private boolean isDone(LifecycleFile file, Request request) throws IOException {
    return sendWithRetry(file, request) instanceof ApplyAnswer.Done;
  }

  /** Retries while another server is changing the same lifecycle. */
  private ApplyAnswer sendWithRetry(LifecycleFile file, Request request) throws IOException {
    var tries = 2 * Retirement.TIME.toSeconds() / PAUSE_SECONDS;
    var answer = request.send();
    while (answer instanceof ApplyAnswer.Changing && tries-- > 0) {
      CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS))
          .join();
      answer = request.send();
    }
    switch (answer) {
      case ApplyAnswer.Done _ -> {}
      case ApplyAnswer.Refused refused -> refusals.add(file.path() + ": " + refused.text());
      case ApplyAnswer.Changing _ ->
          refusals.add(
              "%s: %s is being changed by another client; try again"
                  .formatted(file.path(), file.title()));
    }
    return answer;
  }
}
