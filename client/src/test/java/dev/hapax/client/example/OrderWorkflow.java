package dev.hapax.client.example;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.client.worker.PartOptions;
import dev.hapax.client.worker.Retry;
import dev.hapax.client.worker.Workflow;
import dev.hapax.client.worker.WorkflowContext;
import dev.hapax.client.worker.WorkflowHook;
import java.time.Duration;

/** Charges an order, and ships it when it can no longer be withdrawn. */
final class OrderWorkflow implements Workflow<String> {

  /** The bank is closed at night. */
  private static final PartOptions PATIENT =
      PartOptions.retry(
          Retry.attempts(100).backoff(Duration.ofMinutes(10), 2, Duration.ofMinutes(20)));

  private final Shop shop;

  OrderWorkflow(Shop shop) {
    this.shop = shop;
  }

  @Override
  public String run(WorkflowContext ctx) {
    String order = ctx.input(PayloadCodec.text());
    try (WorkflowHook<String> token =
        ctx.hook(HookRequest.of("order/" + order), PayloadCodec.text())) {
      if (token.conflict().isPresent()) {
        return "duplicate";
      }
      ctx.record("charge", PayloadCodec.text(), partId -> shop.charge(partId, order), PATIENT);
      ctx.suspend("right-to-withdraw", Duration.ofDays(14));
      String address =
          ctx.awaitSignal(
                  "address",
                  AwaitedSignal.ofType("address"),
                  PayloadCodec.text(),
                  Duration.ofDays(3))
              .orElse("the address of the invoice");
      return ctx.record("ship", PayloadCodec.text(), partId -> shop.ship(partId, address));
    }
  }
}
