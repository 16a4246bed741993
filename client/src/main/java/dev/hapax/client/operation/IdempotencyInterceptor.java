package dev.hapax.client.operation;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.SystemTiming;
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
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
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
 * fails, by status or by exception, frees the key, unless the {@link FailureClassifier} of the
 * {@link Operations}, {@link RunningOperation#failAs} or a {@link WorkFailure} decides otherwise. A
 * final failure is replayed with its status, description and details.
 *
 * <p>Rules for handlers:
 *
 * <ul>
 *   <li>Handlers run on {@link Builder#executor}, not on the server's, in the gRPC Context of the
 *       interceptors before this one, with {@link Idempotency#current}.
 *   <li>A caller that cancels or times out does not stop the handler: its Context is not cancelled,
 *       and its response is recorded. A handler can observe the loss of its claim, see {@link
 *       RunningOperation#isLost}.
 *   <li>Headers and response are sent together, after the response is recorded; a replay has the
 *       response only. If another attempt has taken over, its response is sent instead, or {@code
 *       CLAIM_LOST}.
 *   <li>A response of more than 256 KiB is sent but not kept; duplicates get {@code
 *       RESPONSE_NOT_RETAINED}.
 *   <li>A handler that never closes its call keeps the key until {@link OperationPolicy#holdAtMost}
 *       and the lease have passed.
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

  private final Operations operations;
  private final AccountResolver account;
  private final Executor executor;
  private final BiFunction<MethodDescriptor<?, ?>, Object, Fingerprint> fingerprint;
  private final Map<String, IdempotencyRule> rules;

  private IdempotencyInterceptor(Builder builder, Map<String, IdempotencyRule> rules) {
    this.operations = builder.operations;
    this.account = builder.account;
    this.executor = builder.executor;
    this.fingerprint = builder.fingerprint;
    this.rules = Map.copyOf(rules);
  }

  /** An interceptor for the services of a server. */
  public static Builder newBuilder(Operations operations) {
    return new Builder(operations);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    MethodDescriptor<Q, R> method = call.getMethodDescriptor();
    IdempotencyRule rule = rules.get(method.getFullMethodName());
    // a second interceptor would treat the first one's call as a duplicate
    if (rule == null || Idempotency.RUNNING.get() != null) {
      return next.startCall(call, headers);
    }
    OperationRequest wanted;
    try {
      String key = KeyHeader.read(headers, rule.keyRequired() || rule.policy().requireRequestId());
      if (key.isEmpty()) {
        return next.startCall(call, headers);
      }
      wanted = wanted(method, rule, key, headers);
    } catch (StatusRuntimeException refused) {
      Metadata trailers = refused.getTrailers();
      call.close(refused.getStatus(), trailers == null ? new Metadata() : trailers);
      return new ServerCall.Listener<>() {};
    }
    PayloadCodec<R> codec = MethodMessages.codec(method);
    return new IdempotentCall<>(
        call,
        headers,
        next,
        executor,
        rule.policy().failOpen(),
        (request, work) ->
            operations.executeAsync(
                wanted.withFingerprint(fingerprint.apply(method, request)), codec, work));
  }

  private OperationRequest wanted(
      MethodDescriptor<?, ?> method, IdempotencyRule rule, String key, Metadata headers) {
    String operation = rule.operation().isEmpty() ? method.getFullMethodName() : rule.operation();
    try {
      return OperationRequest.of(operation, key)
          .withAccount(account.account(headers))
          .withPolicy(rule.policy());
    } catch (StatusRuntimeException answer) {
      throw answer;
    } catch (RuntimeException thrown) {
      log.error("the account resolver failed for a call of {}", method.getFullMethodName(), thrown);
      throw IdempotencyStatus.of(
          Status.Code.INTERNAL,
          IdempotencyReason.IDEMPOTENCY_MISCONFIGURED,
          "the account of the call cannot be resolved");
    }
  }

  /** Settings of an {@link IdempotencyInterceptor}. */
  public static final class Builder {
    private static final Executor HANDLERS =
        Executors.newCachedThreadPool(SystemTiming.daemons("hapax-handler-"));

    private final Operations operations;
    private final Map<String, IdempotencyRule> rules = new HashMap<>();
    private AccountResolver account = headers -> "";
    private Executor executor = HANDLERS;
    private BiFunction<MethodDescriptor<?, ?>, Object, Fingerprint> fingerprint =
        MethodMessages::fingerprint;

    private Builder(Operations operations) {
      this.operations = Objects.requireNonNull(operations, "operations");
    }

    /**
     * The account of a call. Default: empty, one account for all. Then every caller that knows the
     * key and the request of another caller gets its response.
     */
    public Builder account(AccountResolver account) {
      this.account = Objects.requireNonNull(account, "account");
      return this;
    }

    /**
     * The executor of handlers, which may block. Default: a growing pool of daemon threads. A
     * rejected task gets UNAVAILABLE and frees its key.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * The fingerprint of a request, from its method and message. Default: SHA-256 of the message,
     * serialized deterministically. Omit there what differs between equal requests, such as a send
     * time. Called on the server's thread; must not throw.
     */
    public Builder fingerprint(
        BiFunction<MethodDescriptor<?, ?>, Object, Fingerprint> fingerprint) {
      this.fingerprint = Objects.requireNonNull(fingerprint, "fingerprint");
      return this;
    }

    /**
     * Makes a method idempotent. Overrides its annotation.
     *
     * @throws IllegalArgumentException for a streaming method
     */
    public Builder method(MethodDescriptor<?, ?> method, IdempotencyRule rule) {
      AnnotatedMethods.unary(method, method);
      rules.put(method.getFullMethodName(), Objects.requireNonNull(rule, "rule"));
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
      Map<String, IdempotencyRule> all = new HashMap<>(AnnotatedMethods.rules(service, definition));
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
