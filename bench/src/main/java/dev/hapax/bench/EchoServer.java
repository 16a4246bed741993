package dev.hapax.bench;

import com.google.protobuf.Empty;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A gRPC server that returns its request: the baseline of a call. */
final class EchoServer {
  static final MethodDescriptor<Empty, Empty> METHOD =
      MethodDescriptor.<Empty, Empty>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName("hapax.bench.Echo/Echo")
          .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
          .build();

  private EchoServer() {}

  /** Starts the server and returns its port. */
  static int serve() throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var service =
        ServerServiceDefinition.builder("hapax.bench.Echo")
            .addMethod(
                METHOD,
                ServerCalls.asyncUnaryCall(
                    (request, caller) -> {
                      caller.onNext(request);
                      caller.onCompleted();
                    }))
            .build();
    return new HapaxServer(
            new GrpcServerConfig(address, false, Duration.ZERO),
            Set.of(() -> service),
            Optional.empty(),
            Optional.empty())
        .start();
  }
}
