package dev.hapax.spring;

import dev.hapax.client.Operation;
import dev.hapax.servlet.HandlerRule;
import dev.hapax.servlet.IdempotencyFilter;
import dev.hapax.servlet.Idempotent;
import dev.hapax.spring.HapaxProperties.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** Finds the handler of a request before Spring does, and reads its {@link Idempotent}. */
final class IdempotentHandlers {

  private static final String FOUND = IdempotentHandlers.class.getName();

  private final ObjectProvider<AbstractHandlerMethodMapping<?>> mappings;
  private final Idempotency settings;
  private final Optional<HandlerRule> unannotated;
  private volatile @Nullable Boolean anyAnnotated;

  IdempotentHandlers(
      ObjectProvider<AbstractHandlerMethodMapping<?>> mappings, Idempotency settings) {
    this.mappings = mappings;
    this.settings = settings;
    // a lease outside its limits fails here
    Operation unused = leased(Operation.of("any handler", "any key"));
    this.unannotated =
        settings.enabled()
            ? Optional.of(new HandlerRule(settings.required(), this::leased))
            : Optional.empty();
  }

  private Operation leased(Operation operation) {
    Duration lease = settings.lease();
    return lease == null ? operation : operation.lease(lease);
  }

  /** The rule of the request; empty = it is not idempotent. */
  Optional<HandlerRule> rule(HttpServletRequest request) {
    Optional<Idempotent> annotation = find(request);
    request.setAttribute(FOUND, annotation.orElse(null));
    if (annotation.isEmpty()) {
      return settings.methods().contains(request.getMethod()) ? unannotated : Optional.empty();
    }
    HandlerRule rule = IdempotencyFilter.rule(annotation.get());
    // the lease of the annotation, if it has one, replaces that of the properties
    return Optional.of(
        new HandlerRule(rule.required(), operation -> rule.options().apply(leased(operation))));
  }

  /** The account of the request: of its header, or its principal. */
  @Nullable String account(HttpServletRequest request) {
    String header =
        request.getAttribute(FOUND) instanceof Idempotent annotation
                && !annotation.account().isEmpty()
            ? annotation.account()
            : settings.accountHeader();
    if (header != null) {
      return request.getHeader(header);
    }
    Principal principal = request.getUserPrincipal();
    return principal == null ? null : principal.getName();
  }

  private Optional<Idempotent> find(HttpServletRequest request) {
    if (!isAnyAnnotated()) {
      return Optional.empty();
    }
    HttpServletRequest copy = new UntouchedRequest(request);
    ServletRequestPathUtils.parseAndCache(copy);
    return mappings
        .orderedStream()
        .map(mapping -> handler(mapping, copy))
        .flatMap(Optional::stream)
        .findFirst()
        .flatMap(handler -> annotation(handler, request));
  }

  private boolean isAnyAnnotated() {
    Boolean known = anyAnnotated;
    if (known == null) {
      known =
          mappings
              .orderedStream()
              .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
              .anyMatch(handler -> onMethod(handler) != null || onType(handler) != null);
      anyAnnotated = known;
    }
    return known;
  }

  private static Optional<HandlerMethod> handler(
      AbstractHandlerMethodMapping<?> mapping, HttpServletRequest request) {
    try {
      HandlerExecutionChain chain = mapping.getHandler(request);
      return chain != null && chain.getHandler() instanceof HandlerMethod method
          ? Optional.of(method)
          : Optional.empty();
    } catch (Exception noHandler) {
      // such as 405: the dispatcher finds it too, and responds
      return Optional.empty();
    }
  }

  /** An annotated class is about the idempotent methods of HTTP alone. */
  private Optional<Idempotent> annotation(HandlerMethod handler, HttpServletRequest request) {
    Idempotent own = onMethod(handler);
    if (own == null && settings.methods().contains(request.getMethod())) {
      own = onType(handler);
    }
    return Optional.ofNullable(own);
  }

  private static @Nullable Idempotent onMethod(HandlerMethod handler) {
    return handler.getMethodAnnotation(Idempotent.class);
  }

  private static @Nullable Idempotent onType(HandlerMethod handler) {
    return AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), Idempotent.class);
  }
}
