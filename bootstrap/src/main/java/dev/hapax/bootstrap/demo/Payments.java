package dev.hapax.bootstrap.demo;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;

/** A client of the payment provider. */
record Payments(Channel channel) {
  static final MethodDescriptor<Charge, ChargeReceipt> CHARGE =
      TextMarshaller.unary("demo.Payments/Charge", Charge::parse, ChargeReceipt::parse);
  static final MethodDescriptor<Charge, String> ANNOUNCE =
      TextMarshaller.unary("demo.Payments/Announce", Charge::parse, text -> text);

  /** Announces a charge; here the demo can hold the service. */
  void announce(Charge charge) {
    var _ = ClientCalls.blockingUnaryCall(channel, ANNOUNCE, CallOptions.DEFAULT, charge);
  }

  /** Charges the order. */
  ChargeReceipt charge(Charge charge) {
    return ClientCalls.blockingUnaryCall(channel, CHARGE, CallOptions.DEFAULT, charge);
  }
}
