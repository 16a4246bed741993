package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Duration;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CodecTest {

  private static final Json JSON = Json.detect();

  private static <T> T roundTrip(Codec<T> codec, T value) {
    return codec.read(codec.write(value, JSON), JSON);
  }

  @Test
  @DisplayName("given a value of each codec, when it is read back, then it is the same")
  void roundTrips() {
    record Order(String id, List<Integer> items) {}
    Order order = new Order("4711", List.of(1, 2));
    Duration message = Duration.newBuilder().setSeconds(3).build();

    assertThat(roundTrip(Codec.json(Order.class), order)).isEqualTo(order);
    assertThat(roundTrip(Codec.json(new TypeRef<List<Order>>() {}), List.of(order)))
        .containsExactly(order);
    assertThat(roundTrip(Codec.jsonText(), "[1]")).isEqualTo("[1]");
    assertThat(roundTrip(Codec.text(), "größer")).isEqualTo("größer");
    assertThat(roundTrip(Codec.bytes(), new byte[] {0, -1})).containsExactly(0, -1);
    assertThat(roundTrip(Codec.message(Duration.parser()), message)).isEqualTo(message);
    assertThat(Codec.none().write(null, JSON)).isNull();
  }

  @Test
  @DisplayName("given no value, then each codec reads its own nothing")
  void nothing() {
    assertThat(Codec.json(String.class).read(null, JSON)).isNull();
    assertThat(Codec.jsonText().read(null, JSON)).isEqualTo("null");
    assertThat(Codec.text().read(null, JSON)).isEmpty();
    assertThat(Codec.bytes().read(null, JSON)).isEmpty();
    assertThat(Codec.message(Duration.parser()).read(null, JSON))
        .isEqualTo(Duration.getDefaultInstance());
    assertThat(Codec.none().read(null, JSON)).isNull();
  }

  @Test
  @DisplayName("given a value of another kind, then it cannot be read")
  void otherKind() {
    Value bytes = new Value.Bytes("{}".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> Codec.json(Object.class).read(bytes, JSON))
        .hasMessage("the stored value is not JSON");
    assertThatThrownBy(() -> Codec.text().read(new Value.Json("\"a\""), JSON))
        .hasMessage("the stored value is not binary");
    assertThatThrownBy(
            () -> Codec.message(Duration.parser()).read(new Value.Bytes(new byte[] {-1}), JSON))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the stored value is not a message of the expected type");
  }

  @Test
  @DisplayName("given functions of the caller, then they get and return values")
  void own() {
    Codec<Integer> codec =
        Codec.of(
            number -> new Value.Json("" + number),
            stored -> Integer.valueOf(((Value.Json) Objects.requireNonNull(stored)).text()));

    assertThat(roundTrip(codec, 3)).isEqualTo(3);
  }
}
