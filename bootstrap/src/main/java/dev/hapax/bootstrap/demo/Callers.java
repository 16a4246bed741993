package dev.hapax.bootstrap.demo;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Those who order, and what they saw. */
final class Callers {
  private final Screen screen;
  private final Set<String> orders = new LinkedHashSet<>();
  private int requests;

  Callers(Screen screen) {
    this.screen = screen;
  }

  /** Sends a request and shows its answer. */
  Answer ask(String caller, Instance service, Request request) throws InterruptedException {
    var answer = await(start(service, request));
    show(caller, service, request, answer);
    return answer;
  }

  /** Sends it again as often as the answer says so, after the time the answer names. */
  Answer askUntilDone(String caller, Instance service, Request request)
      throws InterruptedException {
    var answer = ask(caller, service, request);
    while (answer instanceof Answer.InProgress(var retryAfter)) {
      screen.event("%s waits %.1f s, as told".formatted(caller, retryAfter.toMillis() / 1e3));
      TimeUnit.MILLISECONDS.sleep(retryAfter.toMillis());
      answer = ask(caller, service, request);
    }
    return answer;
  }

  /** Sends the same request so many times at once. */
  List<Answer> askTogether(int callers, List<Instance> services, Request request)
      throws InterruptedException {
    var calls = new ArrayList<CompletableFuture<Answer>>();
    for (int i = 0; i < callers; i++) {
      calls.add(start(services.get(i % services.size()), request));
    }
    var answers = new ArrayList<Answer>();
    for (var call : calls) {
      answers.add(await(call));
    }
    return answers;
  }

  /** Sends it without waiting for the answer. */
  CompletableFuture<Answer> start(Instance service, Request request) {
    sent(request);
    return CompletableFuture.supplyAsync(
        () -> Answer.of(service.channel(), request), Thread::startVirtualThread);
  }

  /** Counts it. */
  void sent(Request request) {
    orders.add(request.order().id());
    requests++;
  }

  /** Unlike join, this can be interrupted. */
  static Answer await(CompletableFuture<Answer> call) throws InterruptedException {
    try {
      return call.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  void show(String caller, Instance service, Request request, Object answer) {
    screen.row(caller, request + " to " + service.name(), answer);
  }

  Set<String> orders() {
    return Set.copyOf(orders);
  }

  int requests() {
    return requests;
  }
}
