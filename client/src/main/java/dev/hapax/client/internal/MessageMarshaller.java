package dev.hapax.client.internal;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Encodes and decodes one type of message, without {@code grpc-protobuf}. */
record MessageMarshaller<M extends Message>(M prototype) implements PrototypeMarshaller<M> {

  @Override
  public InputStream stream(M message) {
    // gRPC takes the length of this stream from available()
    return new ByteArrayInputStream(message.toByteArray());
  }

  @Override
  public M parse(InputStream stream) {
    try {
      return getMessageClass().cast(read(stream));
    } catch (InvalidProtocolBufferException malformed) {
      throw Status.INTERNAL
          .withDescription("invalid protobuf bytes")
          .withCause(malformed)
          .asRuntimeException();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private Message read(InputStream stream) throws IOException {
    if (stream instanceof KnownLength) {
      return prototype.getParserForType().parseFrom(stream.readNBytes(stream.available()));
    }
    return prototype.getParserForType().parseFrom(stream);
  }

  @Override
  public M getMessagePrototype() {
    return prototype;
  }

  @Override
  @SuppressWarnings("unchecked")
  public Class<M> getMessageClass() {
    return (Class<M>) prototype.getClass();
  }
}
