package dev.hapax.http;

import com.google.protobuf.Message;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gRPC call that answers a request. It has a place from when its request is sent until its
 * client has read the answer, which is in memory. The server asks for the request once it has
 * authenticated the caller. So a caller without credentials, or that sends slowly, has no place.
 */
final class ConnectCall extends ClientCall.Listener<Message> implements OpenRequest {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectCall.class);

  private final ClientCall<byte[], Message> call;
  private final RemoteMethod method;
  private final CallHeaders headers;
  private final CallAnswer answer;
  private final CallPlace place;
  private final Runnable onAccepted;
  private @Nullable Future<?> age;
  private boolean isAccepted;
  private boolean hasEnded;

  /**
   * Makes a call that is not started.
   *
   * @param onAccepted runs when the server asks for the request
   */
  ConnectCall(
      ClientCall<byte[], Message> call,
      RemoteMethod method,
      CallHeaders headers,
      CallAnswer answer,
      CallPlace place,
      Runnable onAccepted) {
    this.call = call;
    this.method = method;
    this.headers = headers;
    this.answer = answer;
    this.place = place;
    this.onAccepted = onAccepted;
  }

  /** Starts the call; as a stream, for as long as this. */
  void start(EventLoop thread, Duration maxAge) {
    call.start(this, headers.metadata());
    // a second answer of a unary call would be an error, which gRPC has to notice
    call.request(method.isStream() ? 1 : 2);
    if (method.isStream()) {
      age = thread.schedule(() -> expire(maxAge), maxAge.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Whether the server asks for the request, since it has authenticated the caller. While a channel
   * connects, {@link ClientCall#isReady} can still be false after {@link #onReady}.
   */
  @Override
  public boolean isAccepted() {
    return isAccepted;
  }

  @Override
  public void onReady() {
    isAccepted = true;
    onAccepted.run();
  }

  @Override
  public void send(byte[] body) throws RefusedRequestException {
    place.take();
    var message =
        headers.query().isPresent() ? headers.query().get().toByteArray() : answer.request(body);
    call.sendMessage(headers.codec().read(message, method.request(), headers.strict()));
    call.halfClose();
    answer.begin();
  }

  @Override
  public void refuse(RefusedRequestException refusal) {
    answer.refuse(refusal);
    call.cancel("the request was refused", null);
  }

  /** Its caller comes back through the load balancer, as by gRPC. */
  private void expire(Duration maxAge) {
    answer.fail(
        new ConnectError(
            ConnectCode.UNAVAILABLE,
            String.format(
                Locale.ROOT,
                "the stream has been open for %d s; open it again",
                maxAge.toSeconds())));
  }

  @Override
  public void onMessage(Message message) {
    answer.add(message, () -> call.request(1));
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    try {
      if (status.isOk()) {
        answer.complete();
      } else {
        answer.fail(ConnectError.of(status, trailers));
      }
    } catch (RuntimeException e) {
      LOG.error("unexpected error in an HTTP request", e);
      answer.fail(ConnectError.unexpected());
    }
  }

  /** Ends the call if it is open. */
  @Override
  public void end() {
    if (!hasEnded) {
      hasEnded = true;
      if (age != null) {
        age.cancel(false);
      }
      call.cancel("the HTTP request has ended", null);
      place.free();
    }
  }
}
