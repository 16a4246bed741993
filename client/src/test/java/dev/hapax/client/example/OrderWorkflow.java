package dev.hapax.client.example;

import dev.hapax.client.HookRequest;
import dev.hapax.client.PartOptions;
import dev.hapax.client.Retry;
import dev.hapax.client.Task;
import dev.hapax.client.TaskHook;
import dev.hapax.client.Wait;
import dev.hapax.client.Workflow;
import java.time.Duration;

/** Charges an order, and ships it when it can no longer be withdrawn. */
final class OrderWorkflow {

  /** The bank is closed at night. */
  private static final PartOptions<String> PATIENT =
      PartOptions.of(String.class)
          .retry(Retry.attempts(100).backoff(Duration.ofMinutes(10), 2, Duration.ofMinutes(20)));

  private final Shop shop;

  private OrderWorkflow(Shop shop) {
    this.shop = shop;
  }

  static Workflow<String, String> of(Shop shop) {
    return Workflow.of(
        "order", "orders", String.class, String.class, new OrderWorkflow(shop)::process);
  }

  private String process(Task task, String order) {
    try (TaskHook<String> token = task.hook(HookRequest.of("order/" + order), String.class)) {
      if (token.conflict().isPresent()) {
        return "duplicate";
      }
      task.record("charge", PATIENT, id -> shop.charge(id, order));
      task.suspend("right-to-withdraw", Duration.ofDays(14));
      String address =
          task.awaitSignal(Wait.signal("address", String.class), Duration.ofDays(3))
              .orElse("the address of the invoice");
      return task.record("ship", String.class, id -> shop.ship(id, address));
    }
  }
}
