package dev.hapax.bootstrap.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DemoSummaryTest {
  private final StringWriter out = new StringWriter();
  private final DemoOutput screen = new DemoOutput(new PrintWriter(out), false);

  @Test
  void isContentWhenEachOrderWasChargedOnce() {
    var summary =
        new DemoSummary(Set.of("a", "b"), 9, 3, Map.of("a", 1, "b", 1), Map.of("ship", 1), 1, 1);

    assertThat(summary.show(screen)).isTrue();
    assertThat(out.toString()).contains("Every order was charged exactly once.");
  }

  @Test
  void namesEveryOrderThatWasNot() {
    var summary =
        new DemoSummary(
            Set.of("a", "b", "c"),
            9,
            3,
            Map.of("a", 2, "b", 1, "never-ordered", 1),
            Map.of("ship", 2),
            2,
            0);

    assertThat(summary.show(screen)).isFalse();
    assertThat(summary.problems())
        .containsExactly(
            "a was charged 2 times",
            "c was not charged",
            "never-ordered was charged without an order",
            "the result of ship was stored 2 times",
            "2 runs of one order completed",
            "0 receipts were sent for one order");
    assertThat(out.toString())
        .contains("NOT every order")
        .doesNotContain("Every order was charged exactly once.");
  }

  @Test
  void theBookChargesAgainWhenAskedAgain() {
    var ledger = new ChargeLedger();
    var order = new Order("a", 20);
    ledger.charge(new Charge(order, 1, "orders-1"));
    ledger.charge(new Charge(order, 2, "orders-2"));

    assertThat(new DemoSummary(Set.of("a"), 2, 2, ledger.charges(), Map.of(), 1, 1).problems())
        .containsExactly("a was charged 2 times");
  }
}
