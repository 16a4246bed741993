package dev.hapax.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** The asynchronous processing of a handler, whose completion waits for the record. */
record RecordedAsync(AsyncContext async, Exchange exchange) implements AsyncContext {

  /** Of a request whose handler has started it. */
  static RecordedAsync started(AsyncContext async, Exchange exchange) {
    async.addListener(new End(exchange));
    return new RecordedAsync(async, exchange);
  }

  /** Frees the key if the container ends the request, such as after a timeout. */
  private record End(Exchange exchange) implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
      exchange.abandon();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      // the container or a listener of the handler answers, and onComplete follows
    }

    @Override
    public void onError(AsyncEvent event) {
      // as after a timeout
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      // the request adds a new listener
    }
  }

  /** A listener of the handler, which may complete the context of an event. */
  private record Passed(AsyncListener listener, Exchange exchange) implements AsyncListener {
    private AsyncEvent passed(AsyncEvent event) {
      return new AsyncEvent(
          new RecordedAsync(event.getAsyncContext(), exchange),
          event.getSuppliedRequest(),
          event.getSuppliedResponse(),
          event.getThrowable());
    }

    @Override
    public void onComplete(AsyncEvent event) throws IOException {
      listener.onComplete(passed(event));
    }

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {
      exchange.during(() -> listener.onTimeout(passed(event)));
    }

    @Override
    public void onError(AsyncEvent event) throws IOException {
      exchange.during(() -> listener.onError(passed(event)));
    }

    @Override
    public void onStartAsync(AsyncEvent event) throws IOException {
      listener.onStartAsync(passed(event));
    }
  }

  @Override
  public ServletRequest getRequest() {
    return async.getRequest();
  }

  @Override
  public ServletResponse getResponse() {
    return async.getResponse();
  }

  @Override
  public boolean hasOriginalRequestAndResponse() {
    return async.hasOriginalRequestAndResponse();
  }

  @Override
  public void dispatch() {
    exchange.dispatch();
    async.dispatch();
  }

  @Override
  public void dispatch(String path) {
    exchange.dispatch();
    async.dispatch(path);
  }

  @Override
  public void dispatch(ServletContext context, String path) {
    exchange.dispatch();
    async.dispatch(context, path);
  }

  @Override
  public void complete() {
    exchange.complete(async);
  }

  @Override
  public void start(Runnable run) {
    async.start(run);
  }

  @Override
  public void addListener(AsyncListener listener) {
    async.addListener(new Passed(listener, exchange));
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    async.addListener(new Passed(listener, exchange), request, response);
  }

  @Override
  public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
    return async.createListener(type);
  }

  @Override
  public void setTimeout(long timeout) {
    async.setTimeout(timeout);
  }

  @Override
  public long getTimeout() {
    return async.getTimeout();
  }
}
