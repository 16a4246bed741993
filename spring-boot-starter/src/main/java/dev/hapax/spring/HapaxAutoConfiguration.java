package dev.hapax.spring;

import dev.hapax.client.ClientOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.Observer;
import dev.hapax.client.worker.WorkerBuilder;
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

/** Configures a {@link HapaxClient} and the worker of the {@link StepHandler} beans. */
@AutoConfiguration
@ConditionalOnProperty(name = "hapax.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(HapaxProperties.class)
public class HapaxAutoConfiguration {

  /** The default of Spring for each phase. */
  private static final Duration SPRING_TIMEOUT = Duration.ofSeconds(30);

  /** Spring creates it. */
  public HapaxAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(HapaxClient.class)
  static class Connected {

    @Bean
    @ConditionalOnMissingBean
    HapaxConnectionDetails hapaxConnectionDetails(HapaxProperties properties) {
      return properties::server;
    }

    @Bean
    HapaxConnection hapaxConnection(
        HapaxProperties properties,
        HapaxConnectionDetails details,
        Environment environment,
        ObjectProvider<SslBundles> bundles) {
      return HapaxConnection.open(properties, details, environment, bundles.getIfAvailable());
    }

    @Bean
    HapaxClient hapaxClient(
        HapaxConnection connection, HapaxProperties properties, ObjectProvider<Observer> observer) {
      return HapaxClient.on(
          connection.channel(),
          ClientOptions.DEFAULT
              .withWorkspace(properties.workspace())
              .withActor(properties.actor())
              .withObserver(observer.getIfAvailable(() -> Observer.NONE)));
    }
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty(name = "hapax.worker.enabled", havingValue = "true", matchIfMissing = true)
  HapaxWorkers hapaxWorkers(
      HapaxClient client,
      HapaxProperties properties,
      ObjectProvider<StepHandler> handlers,
      ObjectProvider<TaskSpans> spans,
      Environment environment) {
    Duration timeout =
        Binder.get(environment)
            .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
            .orElse(SPRING_TIMEOUT);
    return new HapaxWorkers(
        () -> builder(client, properties, spans), handlers.orderedStream().toList(), timeout);
  }

  private static WorkerBuilder builder(
      HapaxClient client, HapaxProperties properties, ObjectProvider<TaskSpans> spans) {
    WorkerBuilder builder =
        client
            .newWorker()
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
