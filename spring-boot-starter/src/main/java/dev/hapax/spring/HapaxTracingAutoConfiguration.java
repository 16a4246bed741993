package dev.hapax.spring;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** Configures where the spans of tasks go: {@code hapax.tracing}. */
@AutoConfiguration(after = HapaxAutoConfiguration.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(HapaxProperties.class)
public class HapaxTracingAutoConfiguration {

  private static final String TRACER = "io.micrometer.tracing.Tracer";

  /** Spring creates it. */
  public HapaxTracingAutoConfiguration() {}

  @Bean
  TaskSpans hapaxTaskSpans(
      HapaxProperties properties,
      ObjectProvider<ObservationRegistry> registry,
      ListableBeanFactory beans) {
    return switch (properties.tracing()) {
      case OFF -> TaskSpans.none();
      case OTEL -> TaskSpans.ofWorker();
      case OBSERVATION -> TaskSpans.observed(registry.getIfAvailable(ObservationRegistry::create));
      case AUTO -> {
        ObservationRegistry present = registry.getIfAvailable();
        yield present == null || !hasTracer(beans)
            ? TaskSpans.ofWorker()
            : TaskSpans.observed(present);
      }
    };
  }

  private static boolean hasTracer(ListableBeanFactory beans) {
    ClassLoader loader = HapaxTracingAutoConfiguration.class.getClassLoader();
    return ClassUtils.isPresent(TRACER, loader)
        && beans.getBeanNamesForType(ClassUtils.resolveClassName(TRACER, loader), true, false)
                .length
            > 0;
  }
}
