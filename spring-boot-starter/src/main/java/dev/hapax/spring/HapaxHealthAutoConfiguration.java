package dev.hapax.spring;

import dev.hapax.client.Hapax;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures the health {@code hapax}. It is not in the readiness group: an outage of Hapax must
 * not take every instance of the application out of service.
 */
@AutoConfiguration(after = HapaxAutoConfiguration.class)
@ConditionalOnBean(HapaxProperties.class)
public class HapaxHealthAutoConfiguration {

  /** Spring creates it. */
  public HapaxHealthAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = {
        "org.springframework.boot.actuate.health.HealthIndicator",
        "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
      })
  static class Boot3 {

    @Bean
    @ConditionalOnMissingBean(name = "hapaxHealthIndicator")
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator(
        "hapax")
    org.springframework.boot.actuate.health.HealthIndicator hapaxHealthIndicator(Hapax hapax) {
      ServerCheck check = new ServerCheck(hapax);
      return () -> {
        var health = new org.springframework.boot.actuate.health.Health.Builder();
        return check.isUp(health::withDetail, health::withException)
            ? health.up().build()
            : health.down().build();
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  static class Boot4 {

    @Bean
    @ConditionalOnMissingBean(name = "hapaxHealthIndicator")
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator(
        "hapax")
    org.springframework.boot.health.contributor.HealthIndicator hapaxHealthIndicator(Hapax hapax) {
      ServerCheck check = new ServerCheck(hapax);
      return () -> {
        var health = new org.springframework.boot.health.contributor.Health.Builder();
        return check.isUp(health::withDetail, health::withException)
            ? health.up().build()
            : health.down().build();
      };
    }
  }
}
