package dev.hapax.client.example;

import dev.hapax.client.Codec;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.client.worker.Workflow;
import dev.hapax.client.worker.WorkflowContext;
import dev.hapax.client.worker.WorkflowHook;
import java.time.Duration;

/** Charges an order, and ships it when it can no longer be withdrawn. */
final class OrderWorkflow implements Workflow<String> {

  private final Shop shop;

  OrderWorkflow(Shop shop) {
    this.shop = shop;
  }

  @Override
  public String run(WorkflowContext ctx) {
    String order = ctx.input(Codec.text());
    try (WorkflowHook<String> token = ctx.hook(HookRequest.of("order/" + order), Codec.text())) {
      if (token.conflict().isPresent()) {
        return "duplicate";
      }
      ctx.step("charge", Codec.text(), stepId -> shop.charge(stepId, order));
      ctx.sleep("right-to-withdraw", Duration.ofDays(14));
      String address =
          ctx.awaitSignal(
                  "address", AwaitedSignal.ofType("address"), Codec.text(), Duration.ofDays(3))
              .orElse("the address of the invoice");
      return ctx.step("ship", Codec.text(), stepId -> shop.ship(stepId, address));
    }
  }
}
