package dev.hapax.bootstrap.demo;

import dev.hapax.client.Codec;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.Task;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import io.grpc.Channel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;

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

  static Definition definition() {
    var definition = Definition.of(ORDER, "1");
    for (var step : STEPS) {
      definition = definition.task(step, QUEUE, options -> options.lease(LEASE));
    }
    return definition;
  }

  static Definition confirmedDefinition() {
    return Definition.of(CONFIRMED_ORDER, "1")
        .signal("confirmation", CONFIRMED)
        .task("charge", QUEUE, options -> options.lease(LEASE));
  }

  /** Starts the worker. */
  public static Worker start(
      String name, String hapaxAddress, String paymentsAddress, PrintWriter out) {
    var worker = new OrderWorker(name, new Payments(channel(paymentsAddress)), out);
    return Hapax.builder(Map.of())
        .server(hapaxAddress)
        .plaintext()
        .connect()
        .worker()
        .workerId(name)
        .step(QUEUE, ORDER, "reserve", _ -> json("shelf 3"))
        .step(QUEUE, ORDER, "charge", worker::charge)
        .step(QUEUE, CONFIRMED_ORDER, "charge", worker::charge)
        .step(QUEUE, ORDER, "ship", _ -> json("parcel 1"))
        .start();
  }

  private static Channel channel(String address) {
    return NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  /** Charges the order with the fence, so that the provider can reject a late worker. */
  private Value charge(Task task) {
    // only for the demo, which sends a late completion for the killed worker
    out.println("claim " + task.claim().id());
    out.flush();
    var charge = new Charge(order(task.input(Codec.jsonText())), task.claim().fence(), name);
    payments.announce(charge);
    return json(payments.charge(charge));
  }

  /** Quotes a text that needs no escaping. */
  static Value json(Object text) {
    return new Value.Json("\"" + text + "\"");
  }

  private static Order order(String json) {
    return Order.parse(json.substring(1, json.length() - 1));
  }
}
