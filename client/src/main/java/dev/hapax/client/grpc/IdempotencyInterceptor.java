package dev.hapax.client.grpc;

import dev.hapax.client.Claim;
import dev.hapax.client.FailureKind;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.Hapax;
import dev.hapax.client.Operation;
import dev.hapax.client.UnknownEffect;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.HandlerThreads;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes unary methods of a gRPC service idempotent by the {@code idempotency-key} header.
 *
 * <p>The first call with a key runs the handler, and its response is recorded before it is sent.
 * Every later call gets the same response with the trailer {@code idempotent-replayed: true}. The
 * other results are in {@link IdempotencyReason}. A call without a key runs untouched, unless the
 * method requires one; streaming methods always do.
 *
 * <p>The key belongs to the operation (the full method name), the account (see {@link
 * Builder#account}) and the request: the same key with another request is rejected. A handler that
 * fails, by status or by exception, frees the key, unless its exception or the cause of its status
 * is a {@link WorkFailure} of another kind, or {@link Builder#failByStatus} was chosen. A final
 * failure is replayed with its status, description and details.
 *
 * <p>Rules for handlers:
 *
 * <ul>
 *   <li>Handlers run on {@link Builder#executor}, not on the server's, in the gRPC Context of the
 *       interceptors before this one, with {@link Idempotency#current}.
 *   <li>A caller that cancels or times out does not stop the handler: its Context is not cancelled,
 *       and its response is recorded. A handler can observe the loss of its claim, see {@link
 *       Claim#isLost}.
 *   <li>Headers and response are sent together, after the response is recorded; a replay has the
 *       response only. If another attempt has taken over, its response is sent instead, or {@code
 *       CLAIM_LOST}.
 *   <li>A response of more than 256 KiB is sent but not kept; duplicates get {@code
 *       RESPONSE_NOT_RETAINED}.
 *   <li>A handler that never closes its call keeps a thread of the executor, and the key until
 *       {@link Operation#holdAtMost} and the lease have passed.
 * </ul>
 *
 * <p>A retry by gRPC itself carries the same key and is a duplicate like any other. Let clients
 * retry {@code UNAVAILABLE}, and {@code ABORTED} after the delay it names.
 *
 * <p>Put authentication before it (in the order of calls), so that unauthenticated calls store
 * nothing.
 */
public final class IdempotencyInterceptor implements ServerInterceptor {

  /** The request's key, at most 255 characters. */
  public static final Metadata.Key<String> KEY =
      Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER);

  /** The trailer {@code true} of a response that another call produced. */
  public static final Metadata.Key<String> REPLAYED =
      Metadata.Key.of("idempotent-replayed", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * The trailer {@code true} of a response that is not recorded, as Hapax was unreachable: the call
   * may run again. See {@code failOpen}.
   */
  public static final Metadata.Key<String> UNRECORDED =
      Metadata.Key.of("idempotent-unrecorded", Metadata.ASCII_STRING_MARSHALLER);

  private static final Logger log = LoggerFactory.getLogger(IdempotencyInterceptor.class);

  private final Hapax hapax;
  private final Function<Metadata, String> account;
  private final Executor executor;
  private final boolean keyRequired;
  private final boolean failsByStatus;
  private final Map<String, MethodRule> rules;

  private IdempotencyInterceptor(Builder builder, Map<String, MethodRule> rules) {
    this.hapax = builder.hapax;
    this.account = builder.account;
    this.executor = builder.executor;
    this.keyRequired = builder.keyRequired;
    this.failsByStatus = builder.failsByStatus;
    this.rules = Map.copyOf(rules);
  }

  /** An interceptor for the services of a server. */
  public static Builder builder(Hapax hapax) {
    return new Builder(hapax);
  }

  Hapax hapax() {
    return hapax;
  }

  Executor executor() {
    return executor;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    MethodRule rule = rules.get(method);
    // a second interceptor would treat the first one's call as a duplicate
    if (rule == null || Idempotency.CLAIM.get() != null) {
      return next.startCall(call, headers);
    }
    Operation operation;
    try {
      String key = KeyHeader.read(headers, keyRequired || rule.keyRequired());
      if (key.isEmpty()) {
        return next.startCall(call, headers);
      }
      operation = ofAccount(rule.operation(method, key), method, headers);
    } catch (StatusRuntimeException refused) {
      Metadata trailers = refused.getTrailers();
      call.close(refused.getStatus(), trailers == null ? new Metadata() : trailers);
      return new ServerCall.Listener<>() {};
    }
    return new IdempotentCall<>(this, operation, call, headers, next);
  }

  private Operation ofAccount(Operation operation, String method, Metadata headers) {
    try {
      return operation.account(account.apply(headers));
    } catch (StatusRuntimeException answer) {
      throw answer;
    } catch (RuntimeException thrown) {
      log.error("the account resolver failed for a call of {}", method, thrown);
      throw IdempotencyStatus.of(
          Status.Code.INTERNAL,
          IdempotencyReason.IDEMPOTENCY_MISCONFIGURED,
          "the account of the call cannot be resolved");
    }
  }

  /** Returns what the work throws when its handler has failed; its cause is the status. */
  RuntimeException failure(StatusRuntimeException failed) {
    Status status = failed.getStatus();
    String text = Objects.requireNonNullElse(status.getDescription(), "");
    return switch (kind(failed)) {
      case RETRYABLE -> failed;
      case FINAL -> new FinalFailure(status.getCode().name(), text, failed);
      case UNKNOWN_EFFECT -> new UnknownEffect(status.getCode().name(), text, failed);
    };
  }

  private FailureKind kind(StatusRuntimeException failed) {
    for (Throwable cause = failed.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        return declared.failureKind();
      }
    }
    return failsByStatus ? kind(failed.getStatus().getCode()) : FailureKind.RETRYABLE;
  }

  private static FailureKind kind(Status.Code code) {
    return switch (code) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          PERMISSION_DENIED,
          UNIMPLEMENTED ->
          FailureKind.FINAL;
      case UNAVAILABLE, RESOURCE_EXHAUSTED, ABORTED, UNAUTHENTICATED -> FailureKind.RETRYABLE;
      case OK, CANCELLED, DEADLINE_EXCEEDED, UNKNOWN, INTERNAL, DATA_LOSS ->
          FailureKind.UNKNOWN_EFFECT;
    };
  }

  /** Settings of an {@link IdempotencyInterceptor}. */
  public static final class Builder {
    private static final int THREADS = 256;
    private static final Executor HANDLERS =
        HandlerThreads.virtual().orElseGet(() -> HandlerThreads.refusing(THREADS));

    private final Hapax hapax;
    private final Map<String, MethodRule> rules = new HashMap<>();
    private Function<Metadata, String> account = headers -> "";
    private Executor executor = HANDLERS;
    private boolean keyRequired;
    private boolean failsByStatus;

    private Builder(Hapax hapax) {
      this.hapax = Objects.requireNonNull(hapax, "hapax");
    }

    /**
     * The account of a call, at most 255 characters; empty is one like any other. Default: empty,
     * one account for all. Then every caller that knows the key and the request of another caller
     * gets its response.
     *
     * @param account called on the server's thread, with the {@link io.grpc.Context} of the
     *     interceptors before this one; must not block. A {@link StatusRuntimeException} it throws
     *     becomes the status of the call; any other exception becomes INTERNAL. Either way the
     *     handler does not run.
     */
    public Builder account(Function<Metadata, String> account) {
      this.account = Objects.requireNonNull(account, "account");
      return this;
    }

    /** Refuses calls without a key, of each idempotent method. Default: they run untracked. */
    public Builder required() {
      keyRequired = true;
      return this;
    }

    /**
     * Lets the status of a failed handler decide: INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS,
     * FAILED_PRECONDITION, OUT_OF_RANGE, PERMISSION_DENIED and UNIMPLEMENTED are final;
     * UNAVAILABLE, RESOURCE_EXHAUSTED, ABORTED and UNAUTHENTICATED free the key; with each other
     * one, and after an exception, the effect is unknown. Default: each failure frees the key.
     */
    public Builder failByStatus() {
      failsByStatus = true;
      return this;
    }

    /**
     * Runs each call with a key, for all the time that it waits for Hapax or its handler. Default:
     * virtual threads, before Java 21 up to 256 threads. If the executor rejects a call, it gets
     * ABORTED, and has not begun.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Makes a method idempotent. Overrides its annotation.
     *
     * @throws IllegalArgumentException for a streaming method
     */
    public Builder method(MethodDescriptor<?, ?> method) {
      return method(method, UnaryOperator.identity());
    }

    /**
     * As {@link #method(MethodDescriptor)}, with options.
     *
     * @param options gets the operation of a call, whose account and fingerprint follow; must not
     *     throw
     */
    public Builder method(MethodDescriptor<?, ?> method, UnaryOperator<Operation> options) {
      return method(method, false, options);
    }

    /** As {@link #method(MethodDescriptor, UnaryOperator)}; whether it refuses a missing key. */
    public Builder method(
        MethodDescriptor<?, ?> method, boolean keyRequired, UnaryOperator<Operation> options) {
      AnnotatedMethods.unary(method, method);
      Objects.requireNonNull(options, "options");
      rules.put(method.getFullMethodName(), new MethodRule("", keyRequired, options));
      return this;
    }

    /** Builds an interceptor for the methods named with {@link #method}. */
    public IdempotencyInterceptor build() {
      return new IdempotencyInterceptor(this, rules);
    }

    /**
     * Binds a service whose methods are annotated with {@link Idempotent}, or named with {@link
     * #method}.
     *
     * @throws IllegalArgumentException if there is no such method, or one is streaming or no rpc of
     *     the service
     */
    public ServerServiceDefinition protect(BindableService service) {
      ServerServiceDefinition definition = service.bindService();
      Map<String, MethodRule> all = new HashMap<>(AnnotatedMethods.rules(service, definition));
      all.putAll(rules);
      if (definition.getMethods().stream()
          .noneMatch(method -> all.containsKey(method.getMethodDescriptor().getFullMethodName()))) {
        throw new IllegalArgumentException(
            service.getClass().getName()
                + " has no method that is @Idempotent; annotate one or name it with method()");
      }
      return ServerInterceptors.intercept(
          definition, List.of(new IdempotencyInterceptor(this, all)));
    }
  }
}
