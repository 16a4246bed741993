package dev.hapax.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes and reads values with the JSON that the class loader of this class finds. */
public final class JsonProbe implements Callable<String>, Function<String, String> {

  enum State {
    OPEN,
    PAID;

    @Override
    public String toString() {
      return "is " + name();
    }
  }

  record Item(String sku, BigDecimal price) {}

  record Order(
      String id,
      Instant at,
      LocalDate day,
      OffsetDateTime local,
      Duration within,
      Optional<String> note,
      Optional<String> none,
      State state,
      List<Item> items,
      @Nullable String missing) {}

  private static final Order ORDER =
      new Order(
          "4711",
          Instant.parse("2026-11-29T03:15:56.123456Z"),
          LocalDate.of(2026, 11, 29),
          OffsetDateTime.parse("2026-11-29T03:15:56+02:00"),
          Duration.ofSeconds(90),
          Optional.of("fragile"),
          Optional.empty(),
          State.PAID,
          List.of(new Item("a", new BigDecimal("1.50"))),
          null);

  /** Returns the JSON of an order, which was read back. */
  @Override
  public String call() {
    Json json = Json.detect();
    Codec<Order> plain = Codec.json(Order.class);
    Codec<Map<String, List<Order>>> generic =
        Codec.json(new TypeRef<Map<String, List<Order>>>() {});
    Map<String, List<Order>> many = Map.of("first", List.of(ORDER));

    same(ORDER, plain.read(plain.write(ORDER, json), json));
    same(many, generic.read(generic.write(many, json), json));
    Value.Json stored = (Value.Json) Objects.requireNonNull(plain.write(ORDER, json));
    String newer = stored.text().replaceFirst("[{]", "{\"added\": [1],");
    same(ORDER, plain.read(new Value.Json(newer), json));
    return stored.text();
  }

  /** Returns the message of the exception for a JSON that is no item, or for a cyclic value. */
  @Override
  public String apply(String text) {
    Json json = Json.detect();
    try {
      return text.isEmpty()
          ? json.write(new Cycle())
          : String.valueOf(json.read(text, Item.class));
    } catch (IllegalArgumentException | IllegalStateException failed) {
      return failed.getClass().getSimpleName() + ": " + failed.getMessage();
    }
  }

  static final class Cycle {
    public Cycle getSelf() {
      return this;
    }
  }

  private static void same(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + " (was " + actual + ")");
    }
  }
}
