package dev.hapax.http;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/** A message in the body of a stream, behind its flags and its length. */
final class Envelope {
  private static final int HEAD_BYTES = 5;
  private static final byte COMPRESSED = 1;
  private static final byte LAST = 2;

  private Envelope() {}

  static ByteString message(ByteString bytes) {
    return of((byte) 0, bytes);
  }

  /** The last part of an answer, which says how the call has ended. */
  static ByteString end(ByteString json) {
    return of(LAST, json);
  }

  private static ByteString of(byte flags, ByteString bytes) {
    var head = ByteBuffer.allocate(HEAD_BYTES).put(flags).putInt(bytes.size()).flip();
    return ByteString.copyFrom(head).concat(bytes);
  }

  /** Returns the message of a request that has exactly one. */
  static byte[] read(byte[] body) throws RefusedRequestException {
    if (body.length < HEAD_BYTES) {
      throw malformed(String.format(Locale.ROOT, "has %d bytes", body.length));
    }
    var head = ByteBuffer.wrap(body);
    var flags = head.get();
    if (flags == COMPRESSED) {
      throw RefusedRequestException.of(
          ConnectCode.UNIMPLEMENTED, "the message is compressed; this server reads no compression");
    }
    var length = Integer.toUnsignedLong(head.getInt());
    if (flags != 0) {
      throw malformed(String.format(Locale.ROOT, "has the flags %d", Byte.toUnsignedInt(flags)));
    }
    if (length != body.length - HEAD_BYTES) {
      throw malformed(
          String.format(
              Locale.ROOT,
              "names a length of %d before %d bytes",
              length,
              body.length - HEAD_BYTES));
    }
    return Arrays.copyOfRange(body, HEAD_BYTES, body.length);
  }

  private static RefusedRequestException malformed(String problem) {
    return RefusedRequestException.unreadable(
        "the body must be one message: a byte 0, its length in 4 bytes, and the message; it "
            + problem);
  }
}
