package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PageTest {
  @Test
  @DisplayName("0 = 20, more than 500 = 500, fewer than none is refused")
  void size() {
    assertThat(Page.size(0)).isEqualTo(20);
    assertThat(Page.size(1)).isEqualTo(1);
    assertThat(Page.size(500)).isEqualTo(500);
    assertThat(Page.size(Integer.MAX_VALUE)).isEqualTo(500);
    assertThatThrownBy(() -> Page.size(-1)).isInstanceOf(InvalidValueException.class);
  }
}
