package dev.hapax.client.operation;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.PayloadCodec;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Converts the messages of a gRPC method to bytes. */
final class MethodMessages {

  private MethodMessages() {}

  /** A codec of serialized responses. A void reads as the empty message. */
  static <R> PayloadCodec<R> codec(MethodDescriptor<?, R> method) {
    return PayloadCodec.binary(
        response -> bytes(method.streamResponse(response)),
        stored -> method.parseResponse(stored.newInput()));
  }

  /** SHA-256 of the request, serialized deterministically if it is a protobuf message. */
  static <Q> Fingerprint fingerprint(MethodDescriptor<Q, ?> method, Object request) {
    if (request instanceof MessageLite message) {
      return Fingerprint.of(message);
    }
    @SuppressWarnings("unchecked") // the request was received by this method
    Q typed = (Q) request;
    return Fingerprint.of(bytes(method.streamRequest(typed)).toByteArray());
  }

  private static ByteString bytes(InputStream stream) {
    try (stream) {
      return ByteString.readFrom(stream);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
