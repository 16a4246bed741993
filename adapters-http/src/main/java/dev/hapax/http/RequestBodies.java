package dev.hapax.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/** Reads the bodies of requests, each up to a limit, and all that are open up to another one. */
final class RequestBodies {
  /** The largest body, in bytes; that of a gRPC request. */
  static final int MAX_BYTES = 1 << 20;

  /** Discarded of a body that is too large, so that its sender reads the answer. */
  private static final int MAX_DISCARDED = 4 * MAX_BYTES;

  private static final int CHUNK = 16 << 10;
  private static final int TOO_LARGE = 413;

  private final Semaphore bytes;

  RequestBodies(int maxOpenBytes) {
    this.bytes = new Semaphore(maxOpenBytes);
  }

  /** Returns the body; its bytes count until {@link #release}. */
  byte[] read(InputStream stream) throws IOException, RefusedRequestException {
    var body = new ByteArrayOutputStream();
    var complete = false;
    try {
      var chunk = new byte[CHUNK];
      for (var length = stream.read(chunk); length >= 0; length = stream.read(chunk)) {
        if (body.size() + length > MAX_BYTES) {
          discard(stream, chunk);
          throw tooLarge();
        }
        if (!bytes.tryAcquire(length)) {
          throw RefusedRequestException.of(
              ConnectCode.UNAVAILABLE,
              "the requests that this server is reading take all of their memory; retry later");
        }
        body.write(chunk, 0, length);
      }
      complete = true;
      return body.toByteArray();
    } finally {
      if (!complete) {
        bytes.release(body.size());
      }
    }
  }

  void release(byte[] body) {
    bytes.release(body.length);
  }

  private static void discard(InputStream stream, byte[] chunk) throws IOException {
    var discarded = 0;
    while (discarded < MAX_DISCARDED) {
      var length = stream.read(chunk);
      if (length < 0) {
        return;
      }
      discarded += length;
    }
  }

  private static RefusedRequestException tooLarge() {
    return new RefusedRequestException(
        HttpAnswer.of(
            TOO_LARGE,
            new ConnectError(
                ConnectCode.RESOURCE_EXHAUSTED,
                "request has more than %d bytes; send less in one request".formatted(MAX_BYTES))));
  }
}
