package dev.hapax.http;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.protobuf.ProtoUtils;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A method of the API that can be called with the bytes of its request.
 *
 * @param call has a type with a stream of requests, since gRPC reports only to such calls when the
 *     server asks for a request
 * @param isOffered whether it can be called by HTTP/1.1: its caller sends one message
 * @param request the message type of requests
 * @param reads whether it has no side effects, so that GET can call it
 */
record RemoteMethod(
    MethodDescriptor<byte[], Message> call, boolean isOffered, Message request, boolean reads) {
  /** The methods of all services, by their path. */
  static Map<String, RemoteMethod> byPath(Collection<ServiceDescriptor> services) {
    return services.stream()
        .flatMap(service -> service.getMethods().stream())
        .map(RemoteMethod::of)
        .collect(Collectors.toUnmodifiableMap(RemoteMethod::path, Function.identity()));
  }

  private static RemoteMethod of(MethodDescriptor<?, ?> method) {
    var answer = prototype(method.getResponseMarshaller());
    var call =
        MethodDescriptor.<byte[], Message>newBuilder()
            .setType(
                method.getType().serverSendsOneMessage()
                    ? MethodType.CLIENT_STREAMING
                    : MethodType.BIDI_STREAMING)
            .setFullMethodName(method.getFullMethodName())
            .setRequestMarshaller(new RawBytes())
            .setResponseMarshaller(ProtoUtils.marshaller(answer))
            .build();
    return new RemoteMethod(
        call,
        method.getType().clientSendsOneMessage(),
        prototype(method.getRequestMarshaller()),
        reads(method));
  }

  private static boolean reads(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier schema
        && schema.getMethodDescriptor().getOptions().getIdempotencyLevel()
            == IdempotencyLevel.NO_SIDE_EFFECTS;
  }

  private static Message prototype(Marshaller<?> marshaller) {
    var prototype = ((PrototypeMarshaller<?>) marshaller).getMessagePrototype();
    return (Message) Objects.requireNonNull(prototype);
  }

  private String path() {
    return "/" + call.getFullMethodName();
  }

  /** Whether a GET can call it. */
  boolean isGettable() {
    return reads && !isStream();
  }

  /** Whether the server answers with many messages. */
  boolean isStream() {
    return !call.getType().serverSendsOneMessage();
  }

  /** Sends requests as they are. */
  private static final class RawBytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new IllegalStateException("an answer is no bytes");
    }
  }
}
