package dev.hapax.spring;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;

/** A channel without calls. */
final class UnusedChannel extends Channel {

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    throw new AssertionError("called " + method.getFullMethodName());
  }

  @Override
  public String authority() {
    return "unused";
  }
}
