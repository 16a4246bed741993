package dev.hapax.client.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.hapax.client.Codec;
import dev.hapax.client.Value;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** Converts the messages of a gRPC method to bytes. */
final class MethodMessages {

  private MethodMessages() {}

  /** A codec of serialized responses. A void reads as the empty message. */
  static <R> Codec<R> codec(MethodDescriptor<?, R> method) {
    return Codec.of(
        response -> new Value.Bytes(bytes(method.streamResponse(response))),
        stored -> method.parseResponse(new ByteArrayInputStream(content(stored))));
  }

  private static byte[] content(@Nullable Value stored) {
    if (stored == null) {
      return new byte[0];
    }
    if (stored instanceof Value.Bytes bytes) {
      return bytes.content();
    }
    throw new IllegalArgumentException("the stored response is not binary");
  }

  /** SHA-256 of the request, serialized deterministically if it is a protobuf message. */
  static <Q> byte[] fingerprint(MethodDescriptor<Q, ?> method, Q request) {
    byte[] bytes =
        request instanceof MessageLite message
            ? deterministic(message)
            : bytes(method.streamRequest(request));
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Maps are sorted by key. */
  private static byte[] deterministic(MessageLite message) {
    byte[] bytes = new byte[message.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      message.writeTo(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes;
  }

  private static byte[] bytes(InputStream stream) {
    try (stream) {
      return stream.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
