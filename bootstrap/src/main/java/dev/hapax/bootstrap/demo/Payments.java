package dev.hapax.bootstrap.demo;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;

/** The payment provider, as the order service calls it. */
record Payments(Channel channel) {
  static final MethodDescriptor<Charge, ChargeReceipt> CHARGE =
      TextMarshaller.unary("demo.Payments/Charge", Charge::parse, ChargeReceipt::parse);
  static final MethodDescriptor<Charge, String> ANNOUNCE =
      TextMarshaller.unary("demo.Payments/Announce", Charge::parse, text -> text);

  /** "About to charge": where the demo can hold a service, to do something bad to it. */
  void announce(Charge charge) {
    var _ = ClientCalls.blockingUnaryCall(channel, ANNOUNCE, CallOptions.DEFAULT, charge);
  }

  /** Takes the money. */
  ChargeReceipt charge(Charge charge) {
    return ClientCalls.blockingUnaryCall(channel, CHARGE, CallOptions.DEFAULT, charge);
  }
}
