package dev.hapax.bootstrap.demo;

import io.grpc.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The payment provider's book: every charge it made, every one it refused. */
final class ChargeLedger {
  private final Map<String, Long> fences = new HashMap<>();
  private final Map<String, Integer> charges = new HashMap<>();
  private final Map<String, Integer> announcements = new HashMap<>();
  private final Map<String, Integer> tooLate = new HashMap<>();
  private final Set<String> poor = new HashSet<>();
  private int receipts;

  /** The card of this order has no money when it is charged for the first time. */
  synchronized void declineOnce(String order) {
    poor.add(order);
  }

  synchronized void announced(Charge charge) {
    announcements.merge(charge.order().id(), 1, Integer::sum);
  }

  /** Charges, and charges again if asked again: only a fence lower than one seen is refused. */
  synchronized ChargeReceipt charge(Charge charge) {
    var order = charge.order().id();
    if (charge.fence() < fences.getOrDefault(order, 0L)) {
      tooLate.merge(order, 1, Integer::sum);
      throw Status.ABORTED.withDescription("a later claim has been here").asRuntimeException();
    }
    fences.put(order, charge.fence());
    if (poor.remove(order)) {
      throw Status.FAILED_PRECONDITION.withDescription("card declined").asRuntimeException();
    }
    charges.merge(order, 1, Integer::sum);
    receipts++;
    return new ChargeReceipt(receipts, charge.order().euros());
  }

  /** How often the order service began to charge this order. */
  synchronized int runs(String order) {
    return announcements.getOrDefault(order, 0);
  }

  synchronized int runs() {
    return announcements.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized int charges(String order) {
    return charges.getOrDefault(order, 0);
  }

  /** How often each order was charged. */
  synchronized Map<String, Integer> charges() {
    return Map.copyOf(charges);
  }

  /** How often a charge was refused because a higher fence had been seen. */
  synchronized int tooLate(String order) {
    return tooLate.getOrDefault(order, 0);
  }
}
