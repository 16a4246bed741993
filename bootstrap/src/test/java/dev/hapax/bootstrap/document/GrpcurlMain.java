package dev.hapax.bootstrap.document;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.v1.EntityServiceProto;
import dev.hapax.v1.HookServiceProto;
import dev.hapax.v1.OperationServiceProto;
import dev.hapax.v1.RunServiceProto;
import io.grpc.CallOptions;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.health.v1.HealthProto;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.util.List;
import java.util.stream.Stream;

/**
 * Does for the documented calls what grpcurl does, which may not be installed: {@code -plaintext -d
 * JSON HOST:PORT SERVICE/METHOD}.
 */
final class GrpcurlMain {
  private static final List<FileDescriptor> FILES =
      List.of(
          OperationServiceProto.getDescriptor(),
          RunServiceProto.getDescriptor(),
          HookServiceProto.getDescriptor(),
          EntityServiceProto.getDescriptor(),
          HealthProto.getDescriptor());

  private GrpcurlMain() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 5 || !arguments[0].equals("-plaintext") || !arguments[1].equals("-d")) {
      throw new IllegalArgumentException("not a documented use: " + List.of(arguments));
    }
    var name = arguments[4].split("/", 2);
    var method =
        FILES.stream()
            .flatMap(file -> file.getServices().stream())
            .filter(service -> service.getFullName().equals(name[0]))
            .flatMap(service -> Stream.ofNullable(service.findMethodByName(name[1])))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no such rpc: " + arguments[4]));
    var request = DynamicMessage.newBuilder(method.getInputType());
    JsonFormat.parser().merge(arguments[2], request);
    var call =
        MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(arguments[4])
            .setRequestMarshaller(
                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
            .setResponseMarshaller(
                ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
            .build();
    var channel = ManagedChannelBuilder.forTarget(arguments[3]).usePlaintext().build();
    try {
      var response =
          ClientCalls.blockingUnaryCall(channel, call, CallOptions.DEFAULT, request.build());
      System.out.println(JsonFormat.printer().preservingProtoFieldNames().print(response));
    } finally {
      channel.shutdownNow();
    }
  }
}
