package dev.hapax.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;

/** The body of a request while it is read, up to a limit. */
final class RequestBody {
  /** The largest body, in bytes; that of a gRPC request. */
  static final int MAX_BYTES = 1 << 20;

  private static final int TOO_LARGE = 413;

  /** The bytes that the bodies of all requests may have together. */
  private final NetworkPlaces memory;

  private final String network;

  private final ByteBuf bytes = Unpooled.buffer(0, MAX_BYTES);
  private int limit = MAX_BYTES;

  RequestBody(NetworkPlaces memory, String network) {
    this.memory = memory;
    this.network = network;
  }

  void add(ByteBuf part) throws RefusedRequestException {
    var length = part.readableBytes();
    requireSize((long) bytes.readableBytes() + length);
    if (!memory.take(network, length)) {
      throw RefusedRequestException.of(
          ConnectCode.UNAVAILABLE,
          "the requests that this server is reading take all of their memory; retry later");
    }
    bytes.writeBytes(part);
  }

  /** Sets the most bytes, and checks the length that the headers say. */
  void limit(int most, HttpHeaders headers) throws RefusedRequestException {
    limit = most;
    var length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    if (length != null) {
      requireSize(Long.parseLong(length));
    }
  }

  private void requireSize(long length) throws RefusedRequestException {
    if (length > limit) {
      throw new RefusedRequestException(
          TOO_LARGE,
          new ConnectError(
              ConnectCode.RESOURCE_EXHAUSTED,
              String.format(
                  Locale.ROOT, "request has more than %d bytes; send less in one request", limit)));
    }
  }

  byte[] bytes() {
    var copy = new byte[bytes.readableBytes()];
    bytes.getBytes(0, copy);
    return copy;
  }

  /** Frees the memory. */
  void clear() {
    memory.free(network, bytes.readableBytes());
    bytes.clear().capacity(0);
  }
}
