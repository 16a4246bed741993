package dev.hapax.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.StringValue;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.Hapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.Operation;
import dev.hapax.client.Orders;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnnotatedMethodsTest {

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Hapax client = Hapax.builder().channel(hapax.channel).connect();
  private final IdempotencyInterceptor.Builder interceptor = IdempotencyInterceptor.builder(client);

  @AfterEach
  void close() {
    client.close();
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
            "shop.Orders/Quote");
    MethodRule place = Objects.requireNonNull(rules.get("shop.Orders/Place"));
    MethodRule pay = Objects.requireNonNull(rules.get("shop.Orders/PayNow"));
    MethodRule open = Objects.requireNonNull(rules.get("shop.Orders/Open"));
    assertThat(place.keyRequired()).isFalse();
    assertThat(place.operation("shop.Orders/Place", "k"))
        .usingRecursiveComparison()
        .isEqualTo(Operation.of("shop.Orders/Place", "k"));
    assertThat(pay.keyRequired()).isTrue();
    assertThat(pay.operation("pay", "k"))
        .usingRecursiveComparison()
        .isEqualTo(
            Operation.of("pay", "k").onStale(Operation.OnStale.HOLD).lease(Duration.ofSeconds(30)));
    assertThat(open.operation("open", "k").failsOpen()).isTrue();
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
    assertThatThrownBy(() -> interceptor.method(Orders.WATCH))
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
