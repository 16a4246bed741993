package dev.hapax.grpc.server;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A client of HTTP/2 that keeps to its rules only as far as a test wants. */
final class Http2Socket implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RESET = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;
  private static final int INITIAL_WINDOW = 4;
  private static final int CANCEL = 8;
  private static final int PATIENCE_MILLIS = 60_000;
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  /** A frame of the server. */
  record Frame(int type, int stream, ByteString payload) {}

  private final Socket socket;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Connects and sends nothing. */
  Http2Socket(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** Sends a part of the preface, and never the rest. */
  Http2Socket halfPreface() throws IOException {
    out.writeBytes(PREFACE.substring(0, 10).getBytes(StandardCharsets.US_ASCII));
    flush();
    return this;
  }

  /** Begins a connection whose streams may receive so many bytes before they are read. */
  Http2Socket begin(int window) throws IOException {
    out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
    frame(
        SETTINGS,
        0,
        0,
        ByteBuffer.allocate(6).putShort((short) INITIAL_WINDOW).putInt(window).array());
    return this;
  }

  /** Adds a gRPC call with an empty message; streams are 1, 3, 5 and so on. */
  Http2Socket call(int stream, String path) {
    return call(stream, path, new byte[0]);
  }

  Http2Socket call(int stream, String path, byte[] message) {
    frame(HEADERS, END_HEADERS, stream, headers(path, Map.of()));
    var prefixed = ByteBuffer.allocate(5 + message.length).put((byte) 0).putInt(message.length);
    frame(DATA, END_STREAM, stream, prefixed.put(message).array());
    return this;
  }

  Http2Socket reset(int stream) {
    return frame(RESET, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  Http2Socket frame(int type, int flags, int stream, byte[] payload) {
    out.writeBytes(
        ByteBuffer.allocate(9)
            .put((byte) (payload.length >> 16))
            .putShort((short) payload.length)
            .put((byte) type)
            .put((byte) flags)
            .putInt(stream)
            .array());
    out.writeBytes(payload);
    return this;
  }

  /** The headers of a call, as literals that no table remembers. */
  static byte[] headers(String path, Map<String, String> more) {
    var block = new ByteArrayOutputStream();
    literal(block, ":method", "POST");
    literal(block, ":scheme", "http");
    literal(block, ":path", path);
    literal(block, ":authority", "test");
    literal(block, "content-type", "application/grpc");
    literal(block, "te", "trailers");
    more.forEach((name, value) -> literal(block, name, value));
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    var limit = 127;
    if (text.length() < limit) {
      block.write(text.length());
    } else {
      block.write(limit);
      var rest = text.length() - limit;
      for (; rest >= 128; rest >>= 7) {
        block.write((rest & 127) | 128);
      }
      block.write(rest);
    }
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends what was added. */
  Http2Socket flush() throws IOException {
    socket.getOutputStream().write(out.toByteArray());
    out.reset();
    return this;
  }

  /** Reads until a frame of this type comes; throws EOFException if the server closes before. */
  Frame read(int type) throws IOException {
    try {
      return next(type);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the server sent no frame of type " + type, e);
    }
  }

  private Frame next(int type) throws IOException {
    var in = new DataInputStream(socket.getInputStream());
    while (true) {
      var head = ByteBuffer.wrap(in.readNBytes(9));
      if (head.remaining() < 9) {
        throw new EOFException("closed by the server");
      }
      var length = ((head.get() & 255) << 16) | (head.getShort() & 65_535);
      var found =
          new Frame(head.get(3), head.getInt(5), ByteString.copyFrom(in.readNBytes(length)));
      if (found.type() == type) {
        return found;
      }
    }
  }

  /** Waits until the server has closed the connection. */
  void awaitClosed() throws IOException {
    try {
      var buffer = new byte[1 << 16];
      while (socket.getInputStream().read(buffer) >= 0) {
        // what the server sent before
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the server did not close the connection", e);
    } catch (SocketException _) {
      // reset
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
