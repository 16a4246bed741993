package dev.hapax.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;

/** The answer to a client that speaks HTTP/2, in frames that it can read. Most are gRPC clients. */
final class Http2Refusal {
  static final String MESSAGE =
      "this is Hapax's port for HTTP/1.1 (--http-listen); call gRPC at the port of --listen";

  private static final int LENGTH_BITS = 8;
  private static final int SETTINGS = 4;
  private static final int GO_AWAY = 7;
  private static final int HTTP_1_1_REQUIRED = 13;

  private Http2Refusal() {}

  /** Whether a connection begins with the preface of HTTP/2, which looks like a request. */
  static boolean isPreface(HttpRequest request) {
    return request.method().name().equals("PRI")
        && request.protocolVersion().text().equals("HTTP/2.0");
  }

  /** The settings that each connection begins with, and its end with the reason. */
  static ByteBuf frames() {
    var reason = MESSAGE.getBytes(StandardCharsets.US_ASCII);
    var frames = Unpooled.buffer();
    writeHead(frames, SETTINGS, 0);
    writeHead(frames, GO_AWAY, 2 * Integer.BYTES + reason.length);
    // no request was processed
    return frames.writeInt(0).writeInt(HTTP_1_1_REQUIRED).writeBytes(reason);
  }

  /** The head of a frame of the whole connection, without flags. */
  private static void writeHead(ByteBuf frames, int type, int length) {
    frames.writeInt(length << LENGTH_BITS | type).writeByte(0).writeInt(0);
  }
}
