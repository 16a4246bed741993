package dev.hapax.spring;

import dev.hapax.client.Hapax;
import dev.hapax.servlet.IdempotencyFilter;
import dev.hapax.servlet.Idempotent;
import dev.hapax.spring.HapaxProperties.Idempotency;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;

/**
 * Configures the {@link IdempotencyFilter} for handlers with {@link Idempotent}, or for all if
 * {@code hapax.http.idempotency.enabled} is true. It follows Spring Security, so that the account
 * is the principal.
 */
@AutoConfiguration(after = HapaxAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, AbstractHandlerMethodMapping.class})
@ConditionalOnBean(HapaxProperties.class)
public class HapaxServletAutoConfiguration {

  /** After Spring Security, which has -100. */
  private static final int ORDER = -90;

  /** Spring creates it. */
  public HapaxServletAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "hapaxIdempotencyFilter", value = IdempotencyFilter.class)
  FilterRegistrationBean<IdempotencyFilter> hapaxIdempotencyFilter(
      Hapax hapax,
      HapaxProperties properties,
      ObjectProvider<AbstractHandlerMethodMapping<?>> mappings) {
    Idempotency settings = properties.http().idempotency();
    IdempotentHandlers handlers = new IdempotentHandlers(mappings, settings);
    FilterRegistrationBean<IdempotencyFilter> registration =
        new FilterRegistrationBean<>(
            IdempotencyFilter.builder(hapax)
                .rule(handlers::rule)
                .account(handlers::account)
                .maxBody(Math.toIntExact(settings.maxBody().toBytes()))
                .build());
    registration.setDispatcherTypes(IdempotencyFilter.dispatches());
    registration.setOrder(ORDER);
    return registration;
  }
}
