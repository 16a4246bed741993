package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkspaceTest {
  @ParameterizedTest
  @DisplayName("a letter, then letters, digits and hyphens")
  @ValueSource(strings = {"a", "default", "a-", "team-7--x"})
  void valid(String name) {
    assertThat(new Workspace(name).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @DisplayName("anything else is refused")
  @ValueSource(
      strings = {"", "7a", "-a", "A", "aB", "a_b", "a.b", "a b", "\u00e4", "a\u0131", "a\n"})
  void invalid(String name) {
    assertThatThrownBy(() -> new Workspace(name)).isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("63 characters at most")
  void length() {
    assertThat(new Workspace("a".repeat(63)).name()).hasSize(63);
    assertThatThrownBy(() -> new Workspace("a".repeat(64)))
        .isInstanceOf(InvalidValueException.class);
  }
}
