package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.lifecycle.Retirement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Applies what was judged: contracts, lifecycles, and then the contracts that were relied on until
 * the lifecycles were others. A lifecycle that is refused does not spare the others.
 */
public final class LifecycleDeployment {
  private static final long PAUSE_SECONDS = 1;

  private final LifecyclePlan plan;
  private final LifecycleTarget server;
  private final Listener listener;
  private final List<String> refusals = new ArrayList<>();

  /** Told of each file that was applied. */
  public interface Listener {
    void applied(LifecycleFile file, boolean already) throws IOException;
  }

  /** One thing to ask the server for. */
  private interface Question {
    ApplyAnswer ask() throws IOException;
  }

  private LifecycleDeployment(LifecyclePlan plan, LifecycleTarget server, Listener listener) {
    this.plan = plan;
    this.server = server;
    this.listener = listener;
  }

  /** Applies all there is; why some were refused, if they were. */
  public static List<String> apply(LifecyclePlan plan, LifecycleTarget server, Listener listener)
      throws IOException {
    return new LifecycleDeployment(plan, server, listener).refusals();
  }

  private List<String> refusals() throws IOException {
    var relied = new ArrayList<LifecycleFile.OfJanitor>();
    for (var file : plan.files().janitors().toList()) {
      var meanwhile = plan.meanwhile(file.contract());
      if (meanwhile.isEmpty()) {
        declare(file);
      } else if (isDone(file, () -> server.declare(meanwhile.get()))) {
        relied.add(file);
      }
    }
    for (var file : plan.files().lifecycles().toList()) {
      tell(file, () -> server.apply(file));
    }
    for (var file : refusals.isEmpty() ? relied : List.<LifecycleFile.OfJanitor>of()) {
      declare(file);
    }
    return List.copyOf(refusals);
  }

  private void declare(LifecycleFile.OfJanitor file) throws IOException {
    JanitorContract contract = file.contract();
    tell(file, () -> server.declare(contract));
  }

  private void tell(LifecycleFile file, Question question) throws IOException {
    if (patiently(file, question) instanceof ApplyAnswer.Done(var already)) {
      listener.applied(file, already);
    }
  }

  private boolean isDone(LifecycleFile file, Question question) throws IOException {
    return patiently(file, question) instanceof ApplyAnswer.Done;
  }

  /** Another server that starts may be changing the same. */
  private ApplyAnswer patiently(LifecycleFile file, Question question) throws IOException {
    var tries = 2 * Retirement.TIME.toSeconds() / PAUSE_SECONDS;
    var answer = question.ask();
    while (answer instanceof ApplyAnswer.Changing && tries-- > 0) {
      CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS))
          .join();
      answer = question.ask();
    }
    switch (answer) {
      case ApplyAnswer.Done _ -> {}
      case ApplyAnswer.Refused refused -> refusals.add(file.path() + ": " + refused.text());
      case ApplyAnswer.Changing _ ->
          refusals.add(
              "%s: %s is being changed by somebody else; start again"
                  .formatted(file.path(), file.title()));
    }
    return answer;
  }
}
