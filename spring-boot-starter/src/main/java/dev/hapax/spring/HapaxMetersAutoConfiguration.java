package dev.hapax.spring;

import dev.hapax.client.Observer;
import dev.hapax.micrometer.HapaxMeters;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Configures the meters of the client if the application has a registry. */
@AutoConfiguration(
    after = HapaxAutoConfiguration.class,
    // of Boot 3 and of Boot 4
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(HapaxProperties.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public class HapaxMetersAutoConfiguration {

  /** Spring creates it. */
  public HapaxMetersAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(Observer.class)
  HapaxMeters hapaxMeters(MeterRegistry registry) {
    return new HapaxMeters(registry);
  }
}
