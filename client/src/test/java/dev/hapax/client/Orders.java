package dev.hapax.client;

import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import dev.hapax.client.grpc.Idempotency;
import dev.hapax.client.grpc.Idempotent;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A service as a user would write it; what its methods do is set by the test. */
public class Orders implements BindableService {

  public static final MethodDescriptor<StringValue, StringValue> PLACE =
      unary("Place", StringValue.getDefaultInstance(), StringValue.getDefaultInstance());
  public static final MethodDescriptor<StringValue, StringValue> PAY =
      unary("PayNow", StringValue.getDefaultInstance(), StringValue.getDefaultInstance());
  public static final MethodDescriptor<StringValue, StringValue> OPEN =
      unary("Open", StringValue.getDefaultInstance(), StringValue.getDefaultInstance());
  public static final MethodDescriptor<StringValue, Empty> RESET =
      unary("Reset", StringValue.getDefaultInstance(), Empty.getDefaultInstance());
  public static final MethodDescriptor<Struct, Struct> QUOTE =
      unary("Quote", Struct.getDefaultInstance(), Struct.getDefaultInstance());
  public static final MethodDescriptor<StringValue, StringValue> WATCH =
      method(
          MethodType.SERVER_STREAMING,
          "Watch",
          StringValue.getDefaultInstance(),
          StringValue.getDefaultInstance());

  public final AtomicInteger runs = new AtomicInteger();

  public volatile BiConsumer<StringValue, StreamObserver<StringValue>> handler =
      (request, answer) -> {
        answer.onNext(StringValue.of("placed " + request.getValue()));
        answer.onCompleted();
      };

  @Idempotent
  public void place(StringValue request, StreamObserver<StringValue> answer) {
    runs.incrementAndGet();
    handler.accept(request, answer);
  }

  @Idempotent(keyRequired = true, onStale = Operation.OnStale.HOLD, leaseMillis = 30_000)
  public void payNow(StringValue request, StreamObserver<StringValue> answer) {
    place(request, answer);
  }

  @Idempotent(failOpen = true)
  public void open(StringValue request, StreamObserver<StringValue> answer) {
    place(request, answer);
  }

  @Idempotent(accountChanging = true)
  public void reset(StringValue request, StreamObserver<Empty> answer) {
    runs.incrementAndGet();
    Idempotency.current().accountAfter(request.getValue());
    answer.onNext(Empty.getDefaultInstance());
    answer.onCompleted();
  }

  @Idempotent
  public void quote(Struct request, StreamObserver<Struct> answer) {
    runs.incrementAndGet();
    answer.onNext(request);
    answer.onCompleted();
  }

  public void watch(StringValue request, StreamObserver<StringValue> answer) {
    answer.onNext(request);
    answer.onNext(request);
    answer.onCompleted();
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder("shop.Orders")
        .addMethod(PLACE, ServerCalls.asyncUnaryCall(this::place))
        .addMethod(PAY, ServerCalls.asyncUnaryCall(this::payNow))
        .addMethod(OPEN, ServerCalls.asyncUnaryCall(this::open))
        .addMethod(RESET, ServerCalls.asyncUnaryCall(this::reset))
        .addMethod(QUOTE, ServerCalls.asyncUnaryCall(this::quote))
        .addMethod(WATCH, ServerCalls.asyncServerStreamingCall(this::watch))
        .build();
  }

  private static <Q extends Message, R extends Message> MethodDescriptor<Q, R> unary(
      String name, Q request, R response) {
    return method(MethodType.UNARY, name, request, response);
  }

  private static <Q extends Message, R extends Message> MethodDescriptor<Q, R> method(
      MethodType type, String name, Q request, R response) {
    return MethodDescriptor.<Q, R>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("shop.Orders", name))
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(response))
        .build();
  }
}
