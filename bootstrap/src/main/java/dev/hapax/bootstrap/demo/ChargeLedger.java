package dev.hapax.bootstrap.demo;

import io.grpc.Status;
import java.util.HashMap;
import java.util.Map;

/** The ledger of the payment provider, with all charges and rejections. */
final class ChargeLedger {
  private final Map<String, Long> fences = new HashMap<>();
  private final Map<String, Integer> charges = new HashMap<>();
  private final Map<String, Integer> announcements = new HashMap<>();
  private final Map<String, Integer> tooLate = new HashMap<>();
  private int receipts;

  synchronized void announced(Charge charge) {
    announcements.merge(charge.order().id(), 1, Integer::sum);
  }

  /** Charges the order on every call, unless the fence is lower than a previous one. */
  synchronized ChargeReceipt charge(Charge charge) {
    var order = charge.order().id();
    if (charge.fence() < fences.getOrDefault(order, 0L)) {
      tooLate.merge(order, 1, Integer::sum);
      throw Status.ABORTED.withDescription("fence is too low").asRuntimeException();
    }
    fences.put(order, charge.fence());
    charges.merge(order, 1, Integer::sum);
    receipts++;
    return new ChargeReceipt(receipts, charge.order().euros());
  }

  /** Returns how often the order service began to charge this order. */
  synchronized int runs(String order) {
    return announcements.getOrDefault(order, 0);
  }

  synchronized int runs() {
    return announcements.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized int charges(String order) {
    return charges.getOrDefault(order, 0);
  }

  /** Returns how often each order was charged. */
  synchronized Map<String, Integer> charges() {
    return Map.copyOf(charges);
  }

  /** Returns how often a charge was rejected for a low fence. */
  synchronized int tooLate(String order) {
    return tooLate.getOrDefault(order, 0);
  }
}
