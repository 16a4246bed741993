package dev.hapax.http;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.CodecException;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpContent;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a client: one request after the other. It reads on while a call is open, and so
 * notices that its client has disconnected.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  /** The event that closes a connection after it has answered its request. */
  enum Stop {
    EVENT
  }

  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  private final Channel channel;
  private final String network;
  private final RequestHandler handler;
  private final Supplier<RequestBody> bodies;
  private final Duration maxSilence;

  /** The bytes that the client sent before the answer to its last request. */
  private final Deque<HttpObject> early = new ArrayDeque<>();

  private @Nullable HttpExchange exchange;
  private @Nullable Future<?> deadline;
  private int unwritten;
  private boolean isStopping;

  /**
   * Makes the handler of one connection.
   *
   * @param network of the client, whose clients share the limits of one
   * @param bodies makes an empty body
   */
  HttpConnection(
      Channel channel,
      String network,
      RequestHandler handler,
      Supplier<RequestBody> bodies,
      Duration maxSilence) {
    this.channel = channel;
    this.network = network;
    this.handler = handler;
    this.bodies = bodies;
    this.maxSilence = maxSilence;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    startDeadline();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    var part = (HttpObject) message;
    if (exchange != null && exchange.isRead()) {
      early.add(part);
      // a client that sends many requests at once waits with the others
      channel.config().setAutoRead(false);
    } else {
      read(part);
    }
  }

  private void read(HttpObject part) {
    try {
      if (part instanceof HttpRequest request) {
        startDeadline();
        exchange = new HttpExchange(this, request, bodies.get(), handler);
        exchange.begin();
      }
      if (part instanceof HttpContent content && exchange != null) {
        exchange.read(content);
      }
    } finally {
      ReferenceCountUtil.release(part);
    }
  }

  /** Sends a part of an answer; {@code written} runs unless the client has disconnected. */
  void write(HttpObject part, Runnable written) {
    if (deadline == null) {
      startDeadline();
    }
    unwritten++;
    var _ = channel.writeAndFlush(part).addListener(done -> written(done.isSuccess(), written));
  }

  private void written(boolean isWritten, Runnable next) {
    unwritten--;
    if (isWritten) {
      progress();
      next.run();
    } else {
      close();
    }
  }

  /** A client that does not send the rest of its request has no more time because it reads. */
  private void progress() {
    if (exchange != null && exchange.isRead()) {
      stopDeadline();
      if (unwritten > 0) {
        startDeadline();
      }
    }
  }

  private void startDeadline() {
    stopDeadline();
    deadline =
        channel.eventLoop().schedule(this::close, maxSilence.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The client has sent its request; its call may take as long as it likes. */
  void stopDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  Channel channel() {
    return channel;
  }

  /** The name of the network of its client. */
  String network() {
    return network;
  }

  /** The certificate with which the client has proved its identity. */
  Optional<X509Certificate> certificate() {
    var secured = channel.pipeline().get(SslHandler.class);
    if (secured == null) {
      return Optional.empty();
    }
    try {
      return secured.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate leaf
          ? Optional.of(leaf)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
  }

  /** Whether requests may follow after the one that is open. */
  boolean isStopping() {
    return isStopping;
  }

  void close() {
    var _ = channel.close();
  }

  /** Goes on with the next request; not at once, since many that were sent together would nest. */
  void next() {
    channel.eventLoop().execute(this::readEarly);
  }

  private void readEarly() {
    exchange = null;
    if (isStopping) {
      var _ = channel.close();
      return;
    }
    startDeadline();
    while (exchange == null || !exchange.isRead()) {
      var part = early.poll();
      if (part == null) {
        channel.config().setAutoRead(true);
        return;
      }
      read(part);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stopDeadline();
    early.forEach(ReferenceCountUtil::release);
    early.clear();
    if (exchange != null) {
      exchange.end();
      exchange = null;
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Stop) {
      isStopping = true;
      if (exchange == null) {
        var _ = channel.close();
      }
    }
  }

  /** Such as a reset, or bytes that are no TLS. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof RuntimeException && !(cause instanceof CodecException)) {
      LOG.error("unexpected error in an HTTP request", cause);
      if (exchange != null) {
        exchange.answer(handler.refusal(RefusedRequestException.unexpected()));
      }
    } else {
      LOG.debug("an HTTP connection failed: {}", cause.getMessage());
    }
    var _ = channel.close();
  }
}
