package dev.hapax.spring;

import dev.hapax.client.Hapax;
import dev.hapax.client.Json;
import dev.hapax.client.Observer;
import dev.hapax.client.Worker;
import dev.hapax.client.Workflow;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Configures a {@link Hapax}, and the worker of the {@link Workflow} and {@link StepHandler} beans.
 */
@AutoConfiguration
@ConditionalOnProperty(name = "hapax.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(HapaxProperties.class)
public class HapaxAutoConfiguration {

  /** The default of Spring for each phase. */
  private static final Duration SPRING_TIMEOUT = Duration.ofSeconds(30);

  /** Spring creates it. */
  public HapaxAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Hapax.class)
  static class Connected {

    @Bean
    @ConditionalOnMissingBean
    HapaxConnectionDetails hapaxConnectionDetails(HapaxProperties properties) {
      return properties::server;
    }

    @Bean
    Hapax hapax(
        HapaxProperties properties,
        HapaxConnectionDetails details,
        Environment environment,
        ObjectProvider<SslBundles> bundles,
        ObjectProvider<Observer> observer,
        ObjectProvider<Json> json) {
      Hapax.Builder builder =
          HapaxConnection.builder(properties, details, environment, bundles.getIfAvailable())
              .workspace(properties.workspace())
              .actor(properties.actor())
              .callTimeout(properties.callTimeout());
      observer.ifAvailable(builder::observer);
      json.ifAvailable(builder::json);
      return builder.connect();
    }
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty(name = "hapax.worker.enabled", havingValue = "true", matchIfMissing = true)
  HapaxWorkers hapaxWorkers(
      Hapax hapax,
      HapaxProperties properties,
      ObjectProvider<Workflow<?, ?>> workflows,
      ObjectProvider<StepHandler> handlers,
      ObjectProvider<TaskSpans> spans,
      Environment environment) {
    Duration timeout =
        Binder.get(environment)
            .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
            .orElse(SPRING_TIMEOUT);
    return new HapaxWorkers(
        () -> builder(hapax, properties, spans),
        workflows.orderedStream().toList(),
        handlers.orderedStream().toList(),
        timeout);
  }

  private static Worker.Builder builder(
      Hapax hapax, HapaxProperties properties, ObjectProvider<TaskSpans> spans) {
    Worker.Builder builder =
        hapax
            .worker()
            .concurrency(properties.worker().concurrency())
            .onCodeChange(properties.worker().onCodeChange());
    String id = properties.worker().id();
    if (id != null) {
      builder.workerId(id);
    }
    spans.ifAvailable(own -> own.addTo(builder));
    return builder;
  }
}
