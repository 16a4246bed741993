package dev.hapax.bootstrap.demo;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The callers of the order services. */
final class OrderCallers {
  private final DemoOutput screen;
  private final Set<String> orders = new LinkedHashSet<>();
  private int requests;

  OrderCallers(DemoOutput screen) {
    this.screen = screen;
  }

  /** Sends a request and shows its answer. */
  OrderAnswer ask(String caller, OrderServiceInstance service, OrderRequest request)
      throws InterruptedException {
    var answer = await(start(service, request));
    show(caller, service, request, answer);
    return answer;
  }

  /** Sends a request and retries while it is in progress, after the time in the response. */
  OrderAnswer askUntilDone(String caller, OrderServiceInstance service, OrderRequest request)
      throws InterruptedException {
    var answer = ask(caller, service, request);
    while (answer instanceof OrderAnswer.InProgress(var retryAfter)) {
      screen.event(
          String.format(
              Locale.ROOT, "%s waits %.1f s, then retries", caller, retryAfter.toMillis() / 1e3));
      TimeUnit.MILLISECONDS.sleep(retryAfter.toMillis());
      answer = ask(caller, service, request);
    }
    return answer;
  }

  /** Sends a request without waiting for its response. */
  CompletableFuture<OrderAnswer> start(OrderServiceInstance service, OrderRequest request) {
    sent(request);
    return CompletableFuture.supplyAsync(
        () -> OrderAnswer.of(service.channel(), request), Thread::startVirtualThread);
  }

  /** Counts a request. */
  void sent(OrderRequest request) {
    orders.add(request.order().id());
    requests++;
  }

  /** Waits interruptibly, unlike join. */
  static OrderAnswer await(CompletableFuture<OrderAnswer> call) throws InterruptedException {
    try {
      return call.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  void show(String caller, OrderServiceInstance service, OrderRequest request, Object answer) {
    screen.row(caller, request + " to " + service.name(), answer);
  }

  Set<String> orders() {
    return Set.copyOf(orders);
  }

  int requests() {
    return requests;
  }
}
