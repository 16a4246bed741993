package dev.hapax.domain.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyedIdsTest {
  private final KeyedIds identities = new KeyedIds(new byte[32]);

  private static OperationKey key(
      String workspace, String account, String operation, String requestId, boolean changing) {
    return new OperationKey(new Workspace(workspace), account, operation, requestId, changing);
  }

  @Test
  @DisplayName("every part counts, and characters cannot move from one part to the next [I4]")
  void parts() {
    var keys =
        List.of(
            key("w", "a", "op", "r", false),
            key("wa", "a", "op", "r", false),
            key("w", "", "op", "r", false),
            key("w", "b", "op", "r", false),
            key("w", "a", "opr", "r", false),
            key("w", "a", "o", "pr", false),
            key("w", "ao", "p", "r", false),
            key("w", "a", "r", "op", false),
            key("w", "a", "op", "R", false),
            key("w", "a", "op", "r", true));

    assertThat(keys.stream().map(identities::of)).doesNotHaveDuplicates();
    assertThat(keys.stream().map(key -> identities.of(key).hash())).doesNotHaveDuplicates();
    assertThat(keys.stream().map(identities::of))
        .containsExactlyElementsOf(keys.stream().map(identities::of).toList());
  }

  @Test
  @DisplayName("an account-changing operation is found without its account [I5]")
  void accountChanging() {
    assertThat(identities.of(key("w", "a", "op", "r", true)))
        .isEqualTo(identities.of(key("w", "b", "op", "r", true)))
        .isNotEqualTo(identities.of(key("w", "", "op", "r", false)));
  }

  @Test
  @DisplayName("another secret makes other ids")
  void secret() {
    var key = key("w", "a", "op", "r", false);
    var other = new byte[32];
    other[31] = 1;
    assertThat(new KeyedIds(other).of(key)).isNotEqualTo(identities.of(key));
  }

  @Test
  @DisplayName("a signature is of these bytes and of this secret, and no id of a key")
  void signs() {
    var signature = identities.sign(new byte[] {1, 2});
    assertThat(signature)
        .hasSize(KeyedIds.SIGNATURE_BYTES)
        .isEqualTo(identities.sign(new byte[] {1, 2}));
    assertThat(signature).isNotEqualTo(identities.sign(new byte[] {1, 3}));
    assertThat(signature).isNotEqualTo(new KeyedIds(new byte[] {1}).sign(new byte[] {1, 2}));
  }

  @Test
  @DisplayName("given concurrent threads, then each gets the same ids")
  void manyThreads() {
    var keys =
        IntStream.range(0, 2_000).mapToObj(i -> key("w", "a", "op", "r" + i, false)).toList();
    var one = keys.stream().map(identities::of).toList();

    assertThat(keys.parallelStream().map(identities::of).toList()).isEqualTo(one);
  }

  @Test
  @DisplayName("a key has a handler and a request id; its account may be empty")
  void requiredParts() {
    assertThat(key("w", "", "op", "r", false).account()).isEmpty();
    assertThatThrownBy(() -> key("w", "a", "", "r", false))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> key("w", "a", "op", "", false))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> key("w", "a\0", "op", "r", false))
        .isInstanceOf(InvalidValueException.class);
  }
}
