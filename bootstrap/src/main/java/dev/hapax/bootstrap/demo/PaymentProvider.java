package dev.hapax.bootstrap.demo;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An external payment provider, which knows nothing of Hapax but the fence. */
final class PaymentProvider implements BindableService, AutoCloseable {
  private static final long TIMEOUT_SECONDS = 60;

  /** Holds a service right before it charges. */
  record Hold(CompletableFuture<Charge> arrived, CompletableFuture<String> released) {

    /** Waits until the service is about to charge. */
    Charge awaitArrival() throws InterruptedException, IOException {
      try {
        return arrived.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("no service tried to charge", e);
      }
    }

    void release() {
      released.complete("continue");
    }
  }

  private final ChargeLedger ledger = new ChargeLedger();
  private final Map<String, Hold> holds = new ConcurrentHashMap<>();
  private final Server server;

  private PaymentProvider() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(this)
            .build()
            .start();
  }

  static PaymentProvider start() throws IOException {
    return new PaymentProvider();
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  ChargeLedger ledger() {
    return ledger;
  }

  /** Holds the next service that is about to charge this order. */
  Hold hold(String order) {
    var hold = new Hold(new CompletableFuture<>(), new CompletableFuture<>());
    holds.put(order, hold);
    return hold;
  }

  private void announce(Charge charge, StreamObserver<String> service) {
    ledger.announced(charge);
    Optional.ofNullable(holds.remove(charge.order().id()))
        .ifPresentOrElse(
            hold -> {
              var _ = hold.released().thenAccept(word -> answer(service, word));
              hold.arrived().complete(charge);
            },
            () -> answer(service, "continue"));
  }

  private void charge(Charge charge, StreamObserver<ChargeReceipt> service) {
    try {
      answer(service, ledger.charge(charge));
    } catch (StatusRuntimeException refused) {
      service.onError(refused);
    }
  }

  private static <T> void answer(StreamObserver<T> service, T message) {
    service.onNext(message);
    service.onCompleted();
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder("demo.Payments")
        .addMethod(Payments.ANNOUNCE, ServerCalls.asyncUnaryCall(this::announce))
        .addMethod(Payments.CHARGE, ServerCalls.asyncUnaryCall(this::charge))
        .build();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
