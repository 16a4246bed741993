package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultHttpContent;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpContent;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.LastHttpContent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. A call begins before the body is read, so that a caller without
 * rights sends none for nothing.
 */
final class HttpExchange {
  /** Read of a body that is not wanted, so that its sender reads the answer. */
  private static final int MAX_DISCARDED = 4 * RequestBody.MAX_BYTES;

  /** A client that reads less within the time for its silence is cut off. */
  private static final int CHUNK_BYTES = 64 << 10;

  private static final int OK = 200;
  private static final int NOT_MODIFIED = 304;

  private final HttpConnection connection;
  private final HttpRequest request;
  private final RequestBody body;
  private final RequestHandler handler;
  private @Nullable OpenRequest open;
  private Map<String, String> shared = Map.of();
  private int discarded;
  private boolean isRead;
  private boolean isForwarded;
  private boolean isAnswered;
  private boolean isSent;

  HttpExchange(
      HttpConnection connection, HttpRequest request, RequestBody body, RequestHandler handler) {
    this.connection = connection;
    this.request = request;
    this.body = body;
    this.handler = handler;
  }

  HttpRequest request() {
    return request;
  }

  HttpConnection connection() {
    return connection;
  }

  /** Whether all of the request has come. */
  boolean isRead() {
    return isRead;
  }

  /** Begins what answers the request, if its headers say what that is. */
  void begin() {
    try {
      RequestFraming.require(request);
      open = handler.begin(this).orElse(null);
      if (open != null && HttpUtil.is100ContinueExpected(request)) {
        // after an answer that is on its way
        connection.channel().eventLoop().execute(this::askForBody);
      }
    } catch (RefusedRequestException e) {
      refuse(e);
    }
  }

  /** Sets headers of every answer. */
  void share(Map<String, String> headers) {
    shared = headers;
  }

  /** Sets the most bytes of the body, and refuses one that is said to be larger. */
  void limitBody(int bytes) throws RefusedRequestException {
    body.limit(bytes, request.headers());
  }

  private void askForBody() {
    if (!isAnswered) {
      connection.write(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER),
          () -> {});
    }
  }

  /** Reads a part of the body. */
  void read(HttpContent part) {
    if (part.decoderResult().isFailure()) {
      connection.close();
      return;
    }
    if (isAnswered) {
      discard(part.content());
    } else {
      add(part.content());
    }
    if (part instanceof LastHttpContent) {
      isRead = true;
      connection.stopDeadline();
      if (isAnswered) {
        goOn();
      } else {
        send();
      }
    }
  }

  private void add(ByteBuf part) {
    try {
      body.add(part);
    } catch (RefusedRequestException e) {
      refuse(e);
    }
  }

  private void discard(ByteBuf part) {
    discarded += part.readableBytes();
    if (discarded > MAX_DISCARDED) {
      connection.close();
    }
  }

  /** Sends the request, once all of it has come and it is accepted. */
  void send() {
    if (open != null && isRead && !isForwarded && !isAnswered && open.isAccepted()) {
      isForwarded = true;
      try {
        open.send(body.bytes());
      } catch (RefusedRequestException e) {
        refuse(e);
      } finally {
        body.clear();
      }
    }
  }

  private void refuse(RefusedRequestException refusal) {
    if (open == null) {
      answer(handler.refusal(refusal));
    } else {
      open.refuse(refusal);
    }
  }

  /** Answers the request, unless it is answered. */
  void answer(HttpAnswer answer) {
    if (!isAnswered) {
      var bytes = answer.body();
      var response = response(answer.status(), answer.contentType());
      answer.headers().forEach(response.headers()::set);
      if (answer.status() != NOT_MODIFIED) {
        HttpUtil.setContentLength(response, bytes.size());
      }
      begin(response);
      for (var at = 0; at < bytes.size(); at += CHUNK_BYTES) {
        var chunk = bytes.substring(at, Math.min(bytes.size(), at + CHUNK_BYTES));
        connection.write(content(chunk), () -> {});
      }
      finish();
    }
  }

  /** Begins an answer of many parts. */
  void beginStream(String contentType) {
    var response = response(OK, contentType);
    // to HTTP/1.0 it ends with the connection
    HttpUtil.setTransferEncodingChunked(response, isCurrentHttp());
    begin(response);
  }

  private void begin(HttpResponse response) {
    isAnswered = true;
    body.clear();
    connection.write(response, () -> {});
  }

  private HttpResponse response(int status, String contentType) {
    var response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
    if (!contentType.isEmpty()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
    }
    handler.headers().forEach(response.headers()::set);
    shared.forEach(response.headers()::set);
    HttpUtil.setKeepAlive(response, isKept());
    return response;
  }

  /** Sends a part of a stream. */
  void write(ByteString part, Runnable written) {
    connection.write(content(part), written);
  }

  private static HttpContent content(ByteString bytes) {
    return new DefaultHttpContent(Unpooled.wrappedBuffer(bytes.asReadOnlyByteBuffer()));
  }

  /** Ends the answer. */
  void finish() {
    connection.write(
        LastHttpContent.EMPTY_LAST_CONTENT,
        () -> {
          isSent = true;
          goOn();
        });
  }

  private boolean isKept() {
    return isCurrentHttp()
        && HttpUtil.isKeepAlive(request)
        && RequestFraming.isClear(request)
        && !connection.isStopping();
  }

  private boolean isCurrentHttp() {
    return request.protocolVersion().equals(HttpVersion.HTTP_1_1);
  }

  private void goOn() {
    if (isSent && !isKept()) {
      connection.close();
    } else if (isSent && isRead) {
      end();
      connection.next();
    }
  }

  /** Ends the answer, also if the client has disconnected. */
  void end() {
    body.clear();
    if (open != null) {
      open.end();
    }
  }
}
