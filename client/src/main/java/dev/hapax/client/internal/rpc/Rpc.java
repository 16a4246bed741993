package dev.hapax.client.internal.rpc;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/** Describes methods to gRPC by the descriptors of their messages, as a generated stub would. */
final class Rpc {

  private Rpc() {}

  /** Returns the method with these messages; the file of the request declares it. */
  static <Q extends Message, R extends Message> MethodDescriptor<Q, R> of(Q request, R response) {
    var service =
        request.getDescriptorForType().getFile().getServices().stream()
            .flatMap(each -> each.getMethods().stream())
            .filter(
                each ->
                    each.getInputType().equals(request.getDescriptorForType())
                        && each.getOutputType().equals(response.getDescriptorForType()))
            .findFirst()
            .orElseThrow();
    return MethodDescriptor.newBuilder(
            new MessageMarshaller<>(request), new MessageMarshaller<>(response))
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(
                service.getService().getFullName(), service.getName()))
        .setType(type(service.isClientStreaming(), service.isServerStreaming()))
        .setSafe(service.getOptions().getIdempotencyLevel() == IdempotencyLevel.NO_SIDE_EFFECTS)
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
