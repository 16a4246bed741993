package dev.hapax.bootstrap.demo;

import dev.hapax.client.Hapax;
import dev.hapax.client.grpc.Idempotency;
import dev.hapax.client.grpc.IdempotencyInterceptor;
import dev.hapax.client.grpc.Idempotent;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** A service as in a real application: it needs a single annotation for Hapax. */
public final class OrderService implements BindableService {
  static final MethodDescriptor<Order, ChargeReceipt> PLACE_ORDER =
      TextMarshaller.unary("demo.Orders/PlaceOrder", Order::parse, ChargeReceipt::parse);

  /** Short, so that the demo does not wait long after a crash. */
  private static final long LEASE_MILLIS = 2_000;

  private final String name;
  private final Payments payments;

  private OrderService(String name, Payments payments) {
    this.name = name;
    this.payments = payments;
  }

  /** Starts the service and returns its port. */
  public static int serve(String name, String hapaxAddress, String paymentsAddress)
      throws IOException {
    var service = new OrderService(name, new Payments(channel(paymentsAddress)));
    var hapax = Hapax.builder(Map.of()).server(hapaxAddress).plaintext().connect();
    var guarded = IdempotencyInterceptor.builder(hapax).protect(service);
    return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .addService(guarded)
        .build()
        .start()
        .getPort();
  }

  private static Channel channel(String address) {
    return NettyChannelBuilder.forTarget(address).usePlaintext().build();
  }

  /** Charges the order with the fence, so that the provider can reject a late holder. */
  @Idempotent(keyRequired = true, leaseMillis = LEASE_MILLIS)
  public void placeOrder(Order order, StreamObserver<ChargeReceipt> caller) {
    var charge = new Charge(order, Idempotency.current().fence(), name);
    try {
      payments.announce(charge);
      caller.onNext(payments.charge(charge));
      caller.onCompleted();
    } catch (StatusRuntimeException refused) {
      caller.onError(Status.fromThrowable(refused).asRuntimeException());
    }
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder("demo.Orders")
        .addMethod(PLACE_ORDER, ServerCalls.asyncUnaryCall(this::placeOrder))
        .build();
  }
}
