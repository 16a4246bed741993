package dev.hapax.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;

/** Which tests share an application. That it runs on each Boot is checked by consumers-java. */
class InstanceOfContextTest {

  @HapaxTest
  static class Shop {
    @Nested
    class Inner {}
  }

  @HapaxTest
  static class Bank {}

  static class Branch extends Bank {}

  private static ContextCustomizer of(Class<?> testClass) {
    List<ContextCustomizer> customizers =
        SpringFactoriesLoader.loadFactories(ContextCustomizerFactory.class, null).stream()
            .filter(factory -> factory instanceof InstanceOfContext.Factory)
            .map(factory -> factory.createContextCustomizer(testClass, List.of()))
            .toList();
    assertThat(customizers).hasSize(1);
    return customizers.get(0);
  }

  @Test
  @DisplayName("given two classes with the annotation, then each has an application of its own")
  void apart() {
    assertThat(of(Shop.class)).isEqualTo(of(Shop.class)).isNotEqualTo(of(Bank.class));
  }

  @Test
  @DisplayName("given a nested class or one that inherits the annotation, then it shares one")
  void shared() {
    assertThat(of(Shop.Inner.class)).isEqualTo(of(Shop.class));
    assertThat(of(Branch.class)).isEqualTo(of(Bank.class));
  }

  @Test
  @DisplayName("given a class without the annotation, then its application has no instance")
  void none() {
    assertThat(of(InstanceOfContextTest.class)).isNull();
  }
}
