package dev.hapax.bootstrap.demo;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.StepPolicy;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.TaskContext;
import dev.hapax.client.worker.Worker;
import io.grpc.Channel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** A worker as in a real application, with a handler for each step of an order. */
public final class OrderWorker {
  static final String ORDER = "order";

  /** The definition of an order that is charged after a confirmation. */
  static final String CONFIRMED_ORDER = "confirmed-order";

  static final String CONFIRMED = "confirmed";
  static final List<String> STEPS = List.of("reserve", "charge", "ship");

  /** Short, so that the demo does not wait long after a crash. */
  static final Duration LEASE = Duration.ofSeconds(2);

  private static final String QUEUE = "orders";

  private final String name;
  private final Payments payments;
  private final PrintWriter out;

  private OrderWorker(String name, Payments payments, PrintWriter out) {
    this.name = name;
    this.payments = payments;
    this.out = out;
  }

  static RunDefinition definition() {
    var definition = RunDefinition.of(ORDER, "1");
    for (var step : STEPS) {
      definition = definition.task(step, QUEUE, StepPolicy.DEFAULT.withLease(LEASE));
    }
    return definition;
  }

  static RunDefinition confirmedDefinition() {
    return RunDefinition.of(CONFIRMED_ORDER, "1")
        .signal("confirmation", CONFIRMED)
        .task("charge", QUEUE, StepPolicy.DEFAULT.withLease(LEASE));
  }

  /** Starts the worker. */
  public static Worker start(
      String name, String hapaxAddress, String paymentsAddress, PrintWriter out) {
    var worker = new OrderWorker(name, new Payments(channel(paymentsAddress)), out);
    return HapaxClient.on(channel(hapaxAddress))
        .newWorker()
        .workerId(name)
        .handle(QUEUE, ORDER, "reserve", _ -> Completion.of(PayloadCodec.json(), "\"shelf 3\""))
        .handle(QUEUE, ORDER, "charge", worker::charge)
        .handle(QUEUE, CONFIRMED_ORDER, "charge", worker::charge)
        .handle(QUEUE, ORDER, "ship", _ -> Completion.of(PayloadCodec.json(), "\"parcel 1\""))
        .start();
  }

  private static Channel channel(String address) {
    return NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  /** Charges the order with the fence, so that the provider can reject a late worker. */
  private Completion charge(TaskContext task) {
    // only for the demo, which sends a late completion for the killed worker
    out.println("claim " + task.task().getClaim().getId());
    out.flush();
    var charge = new Charge(order(task.input(PayloadCodec.json())), task.fence(), name);
    payments.announce(charge);
    return Completion.of(PayloadCodec.json(), json(payments.charge(charge)));
  }

  /** Quotes a text that needs no escaping. */
  static String json(Object text) {
    return "\"" + text + "\"";
  }

  private static Order order(String json) {
    return Order.parse(json.substring(1, json.length() - 1));
  }
}
