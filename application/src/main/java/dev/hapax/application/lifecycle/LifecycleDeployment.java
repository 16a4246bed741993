package dev.hapax.application.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.lifecycle.Retirement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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

  /** Called for each applied declaration. */
  public interface Listener {
    void applied(LifecycleDeclaration declared, boolean already);
  }

  private LifecycleDeployment(LifecyclePlan plan, LifecycleTarget server, Listener listener) {
    this.plan = plan;
    this.server = server;
    this.listener = listener;
  }

  /** Applies all declarations and returns the reasons of rejected ones. */
  public static List<String> apply(LifecyclePlan plan, LifecycleTarget server, Listener listener) {
    return new LifecycleDeployment(plan, server, listener).refusals();
  }

  private List<String> refusals() {
    var postponed = new ArrayList<LifecycleDeclaration.OfJanitor>();
    for (var declared : plan.janitors()) {
      var interim = plan.interimContract(declared.contract());
      if (interim.isEmpty()) {
        declare(declared);
      } else if (isDone(declared, () -> server.declare(interim.get()))) {
        postponed.add(declared);
      }
    }
    for (var declared : plan.lifecycles()) {
      send(declared, () -> server.apply(declared));
    }
    for (var declared :
        refusals.isEmpty() ? postponed : List.<LifecycleDeclaration.OfJanitor>of()) {
      declare(declared);
    }
    return List.copyOf(refusals);
  }

  private void declare(LifecycleDeclaration.OfJanitor declared) {
    JanitorContract contract = declared.contract();
    send(declared, () -> server.declare(contract));
  }

  private void send(LifecycleDeclaration declared, Supplier<ApplyAnswer> request) {
    if (sendWithRetry(declared, request) instanceof ApplyAnswer.Done(var already)) {
      listener.applied(declared, already);
    }
  }

  private boolean isDone(LifecycleDeclaration declared, Supplier<ApplyAnswer> request) {
    return sendWithRetry(declared, request) instanceof ApplyAnswer.Done;
  }

  /** Retries while another server is changing the same lifecycle. */
  private ApplyAnswer sendWithRetry(LifecycleDeclaration declared, Supplier<ApplyAnswer> request) {
    var tries = 2 * Retirement.TIME.toSeconds() / PAUSE_SECONDS;
    var answer = request.get();
    while (answer instanceof ApplyAnswer.Changing && tries-- > 0) {
      CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS))
          .join();
      answer = request.get();
    }
    switch (answer) {
      case ApplyAnswer.Done _ -> {}
      case ApplyAnswer.Refused refused -> refusals.add(declared.source() + ": " + refused.text());
      case ApplyAnswer.Changing _ ->
          refusals.add(
              "%s: %s is being changed by another client; try again"
                  .formatted(declared.source(), declared.title()));
    }
    return answer;
  }
}
