package dev.hapax.bootstrap.demo;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** Marshals messages as text, so that the demo needs no generated code. */
record TextMarshaller<T>(Function<String, T> parser) implements Marshaller<T> {

  static <Q, R> MethodDescriptor<Q, R> unary(
      String name, Function<String, Q> request, Function<String, R> response) {
    return MethodDescriptor.<Q, R>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(new TextMarshaller<>(request))
        .setResponseMarshaller(new TextMarshaller<>(response))
        .build();
  }

  @Override
  public InputStream stream(T message) {
    return new ByteArrayInputStream(message.toString().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public T parse(InputStream stream) {
    try {
      return parser.apply(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
