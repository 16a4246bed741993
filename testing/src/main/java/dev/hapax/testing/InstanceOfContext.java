package dev.hapax.testing;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestContextAnnotationUtils.AnnotationDescriptor;

/**
 * Starts the instance of an application that Spring starts for a test. Spring caches the
 * application by this key, too.
 *
 * @param annotated the class with the annotation {@link HapaxTest}
 */
record InstanceOfContext(Class<?> annotated) implements ContextCustomizer {

  /** Spring finds it in {@code spring.factories}. */
  static final class Factory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
        Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
      AnnotationDescriptor<HapaxTest> found =
          TestContextAnnotationUtils.findAnnotationDescriptor(testClass, HapaxTest.class);
      return found == null ? null : new InstanceOfContext(found.getRootDeclaringClass());
    }
  }

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    TestHapax hapax = TestHapax.start();
    ((GenericApplicationContext) context).registerBean("testHapax", TestHapax.class, () -> hapax);
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "hapax-test",
                Map.of(
                    "hapax.server",
                    hapax.address(),
                    // what the application may have for its own server
                    "hapax.tls",
                    false,
                    "hapax.tls.ca",
                    "",
                    "hapax.tls.bundle",
                    "",
                    "hapax.api-key",
                    "",
                    "hapax.api-key-file",
                    "",
                    "hapax.jwt-file",
                    "")));
  }
}
