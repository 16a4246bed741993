package dev.hapax.servlet;

import com.google.protobuf.ByteString;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The whole body of a request. */
record WholeBody(ByteString bytes) {

  /**
   * Reads the body.
   *
   * @throws Refusal.Refused if it is too large, does not arrive whole, or was read before
   */
  static WholeBody read(HttpServletRequest request, int limit) throws Refusal.Refused {
    long length = request.getContentLengthLong();
    if (length > limit) {
      throw Refusal.tooLarge(limit);
    }
    ByteString bytes;
    try (InputStream in = request.getInputStream()) {
      bytes = ByteString.copyFrom(in.readNBytes(limit));
      if (in.read() >= 0) {
        throw Refusal.tooLarge(limit);
      }
    } catch (IOException cut) {
      throw Refusal.invalid("the body did not arrive whole");
    } catch (IllegalStateException taken) {
      throw Refusal.misconfigured("an outer filter took the reader of the body");
    }
    if (bytes.isEmpty() && length > 0) {
      // two requests with different bodies would have one fingerprint
      throw Refusal.misconfigured(
          "an outer filter read the body, or its parameters; put the IdempotencyFilter before it");
    }
    if (bytes.size() < length) {
      throw Refusal.invalid("the body is shorter than its Content-Length");
    }
    return new WholeBody(bytes);
  }

  /** The query string, a line feed and the body. */
  byte[] input(@Nullable String query) {
    ByteString line =
        ByteString.copyFrom((query == null ? "" : query) + "\n", StandardCharsets.ISO_8859_1);
    return line.concat(bytes).toByteArray();
  }
}
