package dev.hapax.client.internal;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Describes methods to gRPC by the descriptors of their messages, as a generated stub would. */
public final class Methods {

  // by the request, which only one method has
  private static final Map<Descriptor, MethodDescriptor<?, ?>> KNOWN = new ConcurrentHashMap<>();

  private Methods() {}

  /** Returns the method with these messages; the file of the request declares it. */
  @SuppressWarnings("unchecked") // a request has one method
  public static <Q extends Message, R extends Message> MethodDescriptor<Q, R> of(
      Q request, R response) {
    return (MethodDescriptor<Q, R>)
        KNOWN.computeIfAbsent(request.getDescriptorForType(), any -> describe(request, response));
  }

  private static MethodDescriptor<?, ?> describe(Message request, Message response) {
    var method =
        request.getDescriptorForType().getFile().getServices().stream()
            .flatMap(each -> each.getMethods().stream())
            .filter(each -> each.getInputType().equals(request.getDescriptorForType()))
            .findFirst()
            .orElseThrow();
    return MethodDescriptor.newBuilder(
            new MessageMarshaller<>(request.getDefaultInstanceForType()),
            new MessageMarshaller<>(response))
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(
                method.getService().getFullName(), method.getName()))
        .setType(type(method.isClientStreaming(), method.isServerStreaming()))
        .setSafe(method.getOptions().getIdempotencyLevel() == IdempotencyLevel.NO_SIDE_EFFECTS)
        .setSampledToLocalTracing(true)
        .build();
  }

  private static MethodType type(boolean clientStreams, boolean serverStreams) {
    if (clientStreams) {
      return serverStreams ? MethodType.BIDI_STREAMING : MethodType.CLIENT_STREAMING;
    }
    return serverStreams ? MethodType.SERVER_STREAMING : MethodType.UNARY;
  }
}
