package dev.hapax.servlet;

import dev.hapax.client.Claim;
import dev.hapax.client.Hapax;
import dev.hapax.client.Observer.HttpOutcome;
import dev.hapax.client.OnceOutcome;
import dev.hapax.client.Operation;
import dev.hapax.client.RetryableFailure;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request with a key: begins the operation, runs the handler on the threads of the container,
 * and sends its response after it is recorded. Another thread holds the claim until then, since an
 * asynchronous handler gives back the one on which it has begun.
 */
final class Exchange {

  private static final Logger log = LoggerFactory.getLogger(Exchange.class);
  private static final String ATTRIBUTE = Exchange.class.getName();
  private static final int SERVER_FAILURE = 500;

  private final Hapax hapax;
  private final Operation operation;
  private final HttpServletResponse wire;
  private final Consumer<HttpOutcome> observer;
  private final RecordedRequest request;
  private final RecordedResponse response;
  private final CompletableFuture<Claim> granted = new CompletableFuture<>();
  private final CompletableFuture<StoredResponse> answer = new CompletableFuture<>();
  private final CompletableFuture<OnceOutcome<StoredResponse>> recorded = new CompletableFuture<>();
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private volatile boolean isServerFailure;
  private volatile boolean isDispatched;
  private volatile @Nullable Thread notified;

  Exchange(
      Hapax hapax,
      Operation operation,
      HttpServletRequest request,
      WholeBody body,
      HttpServletResponse wire,
      Consumer<HttpOutcome> observer) {
    this.observer = observer;
    this.hapax = hapax;
    this.operation = operation;
    this.wire = wire;
    this.response = new RecordedResponse(wire, request.getRequestURI());
    this.request = new RecordedRequest(request, body, this, response);
  }

  /** The exchange of a request whose handler runs. */
  static Optional<Exchange> of(ServletRequest request) {
    return Optional.ofNullable((Exchange) request.getAttribute(ATTRIBUTE));
  }

  Claim claim() {
    return granted.join();
  }

  void start(FilterChain chain) throws IOException, ServletException {
    var unused =
        hapax
            .async()
            .tryOnce(operation, StoredResponse.CODEC, this::handled)
            .whenComplete(
                (outcome, failure) -> {
                  if (failure == null) {
                    recorded.complete(outcome);
                  } else {
                    recorded.completeExceptionally(failure);
                  }
                  granted.cancel(false);
                });
    try {
      var unusedToo = granted.get();
    } catch (CancellationException | ExecutionException decided) {
      send();
      return;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      if (granted.cancel(false)) {
        observer.accept(Refusal.interrupted().outcome());
        Refusal.interrupted().send(wire);
        return;
      }
    }
    request.setAttribute(ATTRIBUTE, this);
    run(request, response, chain);
  }

  /** Lets the handler run, and waits for its response. */
  private StoredResponse handled(Claim claim) throws Exception {
    if (!granted.complete(claim)) {
      throw new RetryableFailure("NOT_STARTED", "the thread was interrupted");
    }
    try {
      // an interrupt must not free the key of a handler that still runs
      return answer.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof Exception thrown ? thrown : failed;
    }
  }

  /** The handler continues after {@link AsyncContext#dispatch}. */
  void resume(HttpServletRequest dispatched, HttpServletResponse to, FilterChain chain)
      throws IOException, ServletException {
    isDispatched = false;
    run(dispatched, to, chain);
  }

  private void run(HttpServletRequest handled, HttpServletResponse to, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(handled, to);
    } catch (Throwable thrown) {
      if (isEnded.compareAndSet(false, true)) {
        answer.completeExceptionally(thrown);
        if (recorded.handle((outcome, failure) -> failure == null).join()) {
          // another holder took over
          send();
          return;
        }
        observer.accept(HttpOutcome.FAILED);
      }
      throw thrown;
    }
    if (!handled.isAsyncStarted() && isEnded.compareAndSet(false, true)) {
      end();
      send();
    }
  }

  /** Records the response that the handler has ended. */
  private void end() {
    response.end();
    int status = response.getStatus();
    if (status >= SERVER_FAILURE) {
      isServerFailure = true;
      answer.completeExceptionally(
          new RetryableFailure("HTTP_" + status, "the handler answered " + status));
    } else {
      answer.complete(response.stored());
    }
  }

  /** The handler has completed its response on another thread. */
  void complete(AsyncContext async) {
    if (!isEnded.compareAndSet(false, true)) {
      return;
    }
    end();
    if (Thread.currentThread().equals(notified)) {
      sendAndComplete(async);
      return;
    }
    var unused = recorded.whenComplete((outcome, failure) -> sendByContainer(async));
  }

  private void sendByContainer(AsyncContext async) {
    try {
      async.start(() -> sendAndComplete(async));
    } catch (RuntimeException rejected) {
      sendAndComplete(async);
    }
  }

  /** A listener of an asynchronous handler. */
  interface Notification {
    void send() throws IOException;
  }

  /**
   * Notifies a listener of a timeout or an error. When it returns, a container ends a request that
   * is not complete.
   */
  void during(Notification notification) throws IOException {
    notified = Thread.currentThread();
    try {
      notification.send();
    } finally {
      notified = null;
    }
  }

  private void sendAndComplete(AsyncContext async) {
    try {
      send();
    } catch (IOException | RuntimeException gone) {
      log.debug("sending a response failed", gone);
    }
    async.complete();
  }

  /** The handler dispatches its request to the container, which calls the filter again. */
  void dispatch() {
    isDispatched = true;
  }

  /** The container has ended the request. */
  void abandon() {
    if (isEnded.compareAndSet(false, true)) {
      if (isDispatched) {
        log.error("no response: map the IdempotencyFilter to dispatches of the type ASYNC too");
      }
      answer.completeExceptionally(
          new RetryableFailure("NO_RESPONSE", "the handler ended before its response did"));
      observer.accept(HttpOutcome.FAILED);
    }
  }

  /** Waits for the outcome, and sends its response. */
  private void send() throws IOException {
    OnceOutcome<StoredResponse> outcome = null;
    Throwable failure = null;
    try {
      outcome = recorded.join();
    } catch (CompletionException failed) {
      failure = Objects.requireNonNullElse(failed.getCause(), failed);
    }
    if (outcome instanceof OnceOutcome.Done<StoredResponse> own) {
      observer.accept(own.isRecorded() ? HttpOutcome.EXECUTED : HttpOutcome.UNTRACKED);
      response.send();
    } else if (outcome instanceof OnceOutcome.Unrecorded) {
      observer.accept(HttpOutcome.UNTRACKED);
      response.send();
    } else if (outcome == null && isServerFailure) {
      observer.accept(HttpOutcome.FAILED);
      response.send();
    } else if (!response.discard()) {
      observer.accept(HttpOutcome.CLAIM_LOST);
      log.warn("another holder took over a request whose response was streamed");
    } else if (outcome instanceof OnceOutcome.Replayed<StoredResponse> other) {
      observer.accept(HttpOutcome.REPLAYED);
      other.value().replay(wire);
    } else {
      Refusal refusal =
          outcome == null ? Refusal.of(Objects.requireNonNull(failure)) : Refusal.of(outcome);
      observer.accept(refusal.outcome());
      refusal.send(wire);
    }
  }
}
