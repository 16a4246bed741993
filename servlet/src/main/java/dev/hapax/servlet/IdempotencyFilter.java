package dev.hapax.servlet;

import dev.hapax.client.Claim;
import dev.hapax.client.Hapax;
import dev.hapax.client.Observer;
import dev.hapax.client.Operation;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes HTTP handlers idempotent by the header {@code Idempotency-Key}.
 *
 * <pre>{@code
 * var filter = servletContext.addFilter("idempotency", IdempotencyFilter.builder(hapax).build());
 * filter.setAsyncSupported(true);
 * filter.addMappingForUrlPatterns(IdempotencyFilter.dispatches(), true, "/payments/*");
 * }</pre>
 *
 * <p>The first request with a key runs the handler, and its response is recorded before it is sent.
 * Each later one gets that response with the header {@code Idempotent-Replayed: true}. While the
 * first is in progress, others get 409; the same key with another request gets 422. A response of
 * 500 or above frees the key, and so does an exception of the handler.
 *
 * <ul>
 *   <li>The key belongs to the method, the path and the {@link Builder#account}. The same key with
 *       another query or body is another request.
 *   <li>Put authentication before the filter, and nothing that reads the body. The filter reads it
 *       whole, see {@link Builder#maxBody}; the handler reads it as usual, also as form parameters
 *       (in UTF-8 if the request names no charset) and as parts of {@code multipart/form-data}.
 *   <li>A response is held in memory up to 256 KiB. A larger one is streamed, as are {@code
 *       text/event-stream} and the bytes after an upgrade; it is not kept, and duplicates get 409.
 *   <li>A handler that starts an {@link jakarta.servlet.AsyncContext} holds the key until it
 *       completes it. The filter must be mapped to {@link #dispatches}.
 * </ul>
 */
public final class IdempotencyFilter implements Filter {

  private static final String KEY = "Idempotency-Key";

  private final Hapax hapax;
  private final Function<? super HttpServletRequest, @Nullable String> account;
  private final Function<? super HttpServletRequest, Optional<HandlerRule>> rule;
  private final int maxBody;

  private IdempotencyFilter(
      Builder builder, Function<? super HttpServletRequest, Optional<HandlerRule>> rule) {
    this.hapax = builder.hapax;
    this.account = builder.account;
    this.rule = rule;
    this.maxBody = builder.maxBody;
  }

  /**
   * A filter that records in the workspace of this client, and reports to its observer. Each
   * request with a key blocks a thread of the client's executor, besides that of its handler.
   */
  public static Builder builder(Hapax hapax) {
    return new Builder(hapax);
  }

  /** The types of dispatches that the filter must be mapped to: REQUEST and ASYNC. */
  public static EnumSet<DispatcherType> dispatches() {
    return EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC);
  }

  /**
   * The rule of an annotated handler, without its {@link Idempotent#account}.
   *
   * @throws IllegalArgumentException if the lease is outside its limits
   */
  public static HandlerRule rule(Idempotent annotation) {
    if (annotation.leaseMillis() == 0) {
      return new HandlerRule(
          annotation.required(), operation -> operation.onStale(annotation.onStale()));
    }
    Duration lease = checked(Duration.ofMillis(annotation.leaseMillis()));
    return new HandlerRule(
        annotation.required(), operation -> operation.onStale(annotation.onStale()).lease(lease));
  }

  private static Duration checked(Duration lease) {
    Operation unused = Operation.of("any handler", "any key").lease(lease);
    return lease;
  }

  /** The claim of a request: its fence, its loss. Empty if the request has no key. */
  public static Optional<Claim> claim(ServletRequest request) {
    return Exchange.of(request).map(Exchange::claim);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse wire)) {
      chain.doFilter(request, response);
      return;
    }
    Optional<Exchange> running = Exchange.of(http);
    if (running.isPresent() && http.getDispatcherType() == DispatcherType.ASYNC) {
      running.get().resume(http, wire, chain);
    } else if (running.isPresent() || http.getDispatcherType() != DispatcherType.REQUEST) {
      chain.doFilter(http, wire);
    } else {
      start(http, wire, chain);
    }
  }

  private void start(HttpServletRequest request, HttpServletResponse wire, FilterChain chain)
      throws IOException, ServletException {
    Optional<HandlerRule> applied = rule.apply(request);
    List<String> keys = Collections.list(request.getHeaders(KEY));
    if (applied.isEmpty()
        || (!applied.get().required() && keys.stream().allMatch(String::isEmpty))) {
      chain.doFilter(request, wire);
      return;
    }
    long begin = System.nanoTime();
    Consumer<Observer.HttpOutcome> served =
        outcome -> hapax.observer().served(outcome, Duration.ofNanos(System.nanoTime() - begin));
    Exchange exchange;
    try {
      Operation operation = operation(request, applied.get(), keys);
      WholeBody body = WholeBody.read(request, maxBody);
      Operation complete = operation.input(body.input(request.getQueryString()));
      exchange = new Exchange(hapax, complete, request, body, wire, served);
    } catch (Refusal.Refused refused) {
      served.accept(refused.refusal().outcome());
      refused.refusal().send(wire);
      return;
    }
    exchange.start(chain);
  }

  private Operation operation(HttpServletRequest request, HandlerRule applied, List<String> keys)
      throws Refusal.Refused {
    if (keys.size() != 1) {
      throw Refusal.invalid(
          String.format(
              Locale.ROOT, "this request needs one header %s (had %d)", KEY, keys.size()));
    }
    String key = keys.get(0);
    if (key.isEmpty() || !key.chars().allMatch(each -> each >= ' ' && each <= '~')) {
      throw Refusal.invalid(
          "the header Idempotency-Key must have 1 to 255 bytes of printable ASCII, 0x20 to 0x7E");
    }
    try {
      return applied
          .options()
          .apply(Operation.of(request.getMethod() + " " + request.getRequestURI(), key))
          .account(Objects.requireNonNullElse(account.apply(request), ""));
    } catch (IllegalArgumentException broken) {
      throw Refusal.invalid(String.valueOf(broken.getMessage()));
    }
  }

  /** Settings of an {@link IdempotencyFilter}. */
  public static final class Builder {
    private static final int MAX_BODY = 1024 * 1024;

    private final Hapax hapax;
    private Set<String> methods = Set.of("POST", "PATCH");
    private boolean required;
    private Duration lease = Duration.ofSeconds(60);
    private Function<? super HttpServletRequest, @Nullable String> account = request -> "";
    private @Nullable Function<? super HttpServletRequest, Optional<HandlerRule>> rule;
    private int maxBody = MAX_BODY;

    private Builder(Hapax hapax) {
      this.hapax = hapax;
    }

    /** The methods that are idempotent. Default: POST and PATCH. */
    public Builder methods(String... methods) {
      this.methods = Set.of(methods);
      return this;
    }

    /** Whether a request without a key is refused with 400. Default: it runs unrecorded. */
    public Builder required(boolean required) {
      this.required = required;
      return this;
    }

    /** After how long a process that died is replaced: 100 ms to 24 h. Default: 60 s. */
    public Builder lease(Duration lease) {
      this.lease = checked(lease);
      return this;
    }

    /**
     * On whose behalf a request is, such as {@code HttpServletRequest::getRemoteUser}. Null is the
     * empty account. Default: one account for all; then each caller that knows a key and its
     * request gets the response.
     */
    public Builder account(Function<? super HttpServletRequest, @Nullable String> account) {
      this.account = Objects.requireNonNull(account, "account");
      return this;
    }

    /**
     * Decides for each request, in place of {@link #methods}, {@link #required} and {@link #lease}.
     * Empty = the request passes untouched. It must not read the body or the parameters.
     */
    public Builder rule(Function<? super HttpServletRequest, Optional<HandlerRule>> rule) {
      this.rule = Objects.requireNonNull(rule, "rule");
      return this;
    }

    /** The largest body of a request with a key in bytes; a larger one gets 413. Default: 1 MiB. */
    public Builder maxBody(int maxBody) {
      if (maxBody < 0) {
        throw new IllegalArgumentException("maxBody must not be negative (was " + maxBody + ")");
      }
      this.maxBody = maxBody;
      return this;
    }

    /** Builds the filter. */
    public IdempotencyFilter build() {
      return new IdempotencyFilter(this, rule == null ? byMethod() : rule);
    }

    private Function<HttpServletRequest, Optional<HandlerRule>> byMethod() {
      Set<String> chosen = methods;
      Duration chosenLease = lease;
      Optional<HandlerRule> all =
          Optional.of(new HandlerRule(required, operation -> operation.lease(chosenLease)));
      return request -> chosen.contains(request.getMethod()) ? all : Optional.empty();
    }
  }
}
