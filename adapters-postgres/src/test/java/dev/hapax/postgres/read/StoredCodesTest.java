package dev.hapax.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StoredCodesTest {
  private enum Fruit {
    APPLE,
    PEAR
  }

  @Test
  @DisplayName("given a list of all values, then a code is the position in it, from 1")
  void position() {
    var codes = new StoredCodes<>(Fruit.class, List.of(Fruit.PEAR, Fruit.APPLE));

    assertThat(codes.code(Fruit.PEAR)).isEqualTo((short) 1);
    assertThat(codes.value(2)).isEqualTo(Fruit.APPLE);
    assertThat(codes.last()).isEqualTo(2);
  }

  @Test
  @DisplayName("given a value without a code or with two, then no codes are made")
  void incomplete() {
    assertThatThrownBy(() -> new StoredCodes<>(Fruit.class, List.of(Fruit.PEAR)))
        .hasMessage("each Fruit needs one code: missing [APPLE] in [PEAR]");
    assertThatThrownBy(
            () -> new StoredCodes<>(Fruit.class, List.of(Fruit.PEAR, Fruit.APPLE, Fruit.PEAR)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
