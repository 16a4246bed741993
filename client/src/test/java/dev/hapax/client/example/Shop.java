package dev.hapax.client.example;

import dev.hapax.client.RetryableFailure;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What an order does to the world, noted with the time. */
final class Shop {

  private final InstantSource clock;
  private final AtomicInteger refusals;
  private final List<String> deeds = new CopyOnWriteArrayList<>();
  private final List<Instant> charges = new CopyOnWriteArrayList<>();

  Shop(InstantSource clock, int refusals) {
    this.clock = clock;
    this.refusals = new AtomicInteger(refusals);
  }

  /** The bank is closed for the first few. */
  String charge(String stepId, String order) {
    charges.add(clock.instant());
    if (refusals.getAndDecrement() > 0) {
      throw new RetryableFailure("BANK_CLOSED", "come back later");
    }
    deeds.add("charged " + order);
    return stepId;
  }

  String ship(String stepId, String address) {
    deeds.add("shipped to " + address + " on " + clock.instant().toString().substring(0, 10));
    return "shipped";
  }

  List<String> deeds() {
    return deeds;
  }

  List<Instant> charges() {
    return charges;
  }
}
