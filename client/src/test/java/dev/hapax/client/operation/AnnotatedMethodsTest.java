package dev.hapax.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.StringValue;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.Orders;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnnotatedMethodsTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final IdempotencyInterceptor.Builder interceptor =
      IdempotencyInterceptor.newBuilder(hapax.client().operations());

  @AfterEach
  void close() {
    hapax.close();
  }

  @Test
  void readsWhatTheAnnotationsSay() {
    Orders orders = new Orders();

    var rules = AnnotatedMethods.rules(orders, orders.bindService());

    assertThat(rules)
        .containsOnlyKeys(
            "shop.Orders/Place",
            "shop.Orders/PayNow",
            "shop.Orders/Open",
            "shop.Orders/Reset",
            "shop.Orders/Quote")
        .containsEntry("shop.Orders/Place", IdempotencyRule.DEFAULT)
        .containsEntry(
            "shop.Orders/PayNow",
            IdempotencyRule.DEFAULT
                .withKeyRequired(true)
                .withPolicy(
                    OperationPolicy.DEFAULT
                        .withOnStale(OnStale.HOLD)
                        .withLease(Duration.ofSeconds(30))));
    assertThat(rules.get("shop.Orders/Open"))
        .extracting(rule -> rule.policy().beginTimeout())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void findsAnnotationsOfTheClassesAbove() {
    Orders orders = new Orders() {};

    assertThat(AnnotatedMethods.rules(orders, orders.bindService())).hasSize(5);
  }

  @Test
  void refusesStreamingMethods() {
    Orders orders =
        new Orders() {
          @Override
          @Idempotent
          public void watch(StringValue request, StreamObserver<StringValue> answer) {
            super.watch(request, answer);
          }
        };

    assertThatThrownBy(() -> interceptor.protect(orders))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("shop.Orders/Watch is streaming");
    assertThatThrownBy(() -> interceptor.method(Orders.WATCH, IdempotencyRule.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAnnotationsOnWhatIsNoRpc() {
    Misspelt orders = new Misspelt();

    assertThatThrownBy(() -> interceptor.protect(orders))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("plaice");
  }

  static class Misspelt extends Orders {
    @Idempotent
    public void plaice() {}
  }

  @Test
  void refusesServicesWithNothingToProtect() {
    Orders orders = new Orders();

    assertThatThrownBy(() -> interceptor.protect(() -> orders.bindService()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no method that is @Idempotent");
  }
}
