package dev.hapax.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Operation;
import dev.hapax.client.Operation.OnStale;
import dev.hapax.servlet.HandlerRule;
import dev.hapax.servlet.IdempotencyFilter;
import dev.hapax.servlet.Idempotent;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.ResolvableType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

class IdempotentHandlersTest {

  @RestController
  static class Payments {
    @PostMapping("/payments")
    @Idempotent(required = true, leaseMillis = 5_000, account = "X-Tenant", onStale = OnStale.HOLD)
    void pay() {}

    @PostMapping(path = "/forms", params = "kind=card")
    @Idempotent
    void form() {}

    @PostMapping("/other")
    void other() {}
  }

  @RestController
  @RequestMapping("/orders")
  @Idempotent
  static class Orders {
    @PostMapping
    void order() {}

    @GetMapping
    void list() {}
  }

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HapaxAutoConfiguration.class, HapaxServletAutoConfiguration.class))
          .withBean(RequestMappingHandlerMapping.class)
          .withBean(Payments.class)
          .withBean(Orders.class);

  private void handlers(
      WebApplicationContextRunner with, BiConsumer<IdempotentHandlers, HapaxProperties> test) {
    with.run(
        context -> {
          var properties = context.getBean(HapaxProperties.class);
          test.accept(
              new IdempotentHandlers(
                  context.getBeanProvider(
                      ResolvableType.forClass(AbstractHandlerMethodMapping.class)),
                  properties.http().idempotency()),
              properties);
        });
  }

  private static MockHttpServletRequest request(String method, String path) {
    return new MockHttpServletRequest(method, path);
  }

  private static void assertOperation(HandlerRule rule, UnaryOperator<Operation> options) {
    Operation pay = Operation.of("POST /payments", "key");
    assertThat(rule.options().apply(pay)).usingRecursiveComparison().isEqualTo(options.apply(pay));
  }

  @Test
  @DisplayName("given an annotated method, then its rule and its account count")
  void method() {
    handlers(
        runner,
        (handlers, properties) -> {
          var request = request("POST", "/payments");
          request.addHeader("X-Tenant", "acme");
          request.setUserPrincipal(() -> "ann");
          var rule = handlers.rule(request).orElseThrow();
          assertThat(rule.required()).isTrue();
          assertOperation(rule, pay -> pay.lease(Duration.ofSeconds(5)).onStale(OnStale.HOLD));
          assertThat(handlers.account(request)).isEqualTo("acme");
        });
  }

  @Test
  @DisplayName("given an annotated class, then its POST is idempotent, and its GET is not")
  void type() {
    handlers(
        runner.withPropertyValues("hapax.http.idempotency.lease=7s"),
        (handlers, properties) -> {
          var request = request("POST", "/orders");
          request.setUserPrincipal(() -> "ann");
          var rule = handlers.rule(request).orElseThrow();
          assertThat(rule.required()).isFalse();
          assertOperation(rule, pay -> pay.lease(Duration.ofSeconds(7)));
          assertThat(handlers.account(request)).isEqualTo("ann");
          assertThat(handlers.rule(request("GET", "/orders"))).isEmpty();
        });
  }

  @Test
  @DisplayName("given handlers without an annotation, then the property enabled decides")
  void enabled() {
    handlers(
        runner,
        (handlers, properties) -> {
          assertThat(handlers.rule(request("POST", "/other"))).isEmpty();
          assertThat(handlers.rule(request("POST", "/no-handler"))).isEmpty();
          assertThat(handlers.rule(request("DELETE", "/payments"))).isEmpty();
        });
    handlers(
        runner.withPropertyValues(
            "hapax.http.idempotency.enabled=true",
            "hapax.http.idempotency.required=true",
            "hapax.http.idempotency.methods=POST",
            "hapax.http.idempotency.account-header=X-Account"),
        (handlers, properties) -> {
          var request = request("POST", "/other");
          request.addHeader("X-Account", "acme");
          assertThat(handlers.rule(request).map(HandlerRule::required))
              .isEqualTo(Optional.of(true));
          assertThat(handlers.account(request)).isEqualTo("acme");
          assertThat(handlers.rule(request("PATCH", "/other"))).isEmpty();
        });
  }

  @Test
  @DisplayName("given a handler that is searched, then the request is as before")
  void untouched() {
    handlers(
        runner,
        (handlers, properties) -> {
          var request =
              new MockHttpServletRequest("POST", "/forms") {
                @Override
                public String getParameter(String name) {
                  throw new AssertionError("reads the body");
                }
              };
          request.setQueryString("kind=card");
          assertThat(handlers.rule(request)).isPresent();
          assertThat(Collections.list(request.getAttributeNames()))
              .allMatch(name -> name.startsWith("dev.hapax."));
        });
  }

  @Test
  @DisplayName("then the filter follows Spring Security, also for dispatches of the type ASYNC")
  void registration() {
    runner.run(
        context -> {
          FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
          assertThat(filter.getOrder()).isEqualTo(-90);
          assertThat(filter.isAsyncSupported()).isTrue();
          assertThat(filter.determineDispatcherTypes())
              .containsExactly(DispatcherType.REQUEST, DispatcherType.ASYNC);
          assertThat(filter.getFilter()).isInstanceOf(IdempotencyFilter.class);
        });
    runner
        .withPropertyValues("hapax.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(FilterRegistrationBean.class));
  }
}
