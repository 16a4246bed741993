package dev.hapax.bench;

import com.google.protobuf.MessageLite;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.WorkRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes of messages, without gRPC's framing, and the calls of RecordStep. */
final class MessageMeter implements ClientInterceptor {
  private final LongAdder requestBytes = new LongAdder();
  private final LongAdder responseBytes = new LongAdder();
  private final LongAdder records = new LongAdder();

  long requestBytes() {
    return requestBytes.sum();
  }

  long responseBytes() {
    return responseBytes.sum();
  }

  /** Calls of RecordStep, also those on streams. */
  long records() {
    return records.sum();
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(A answer) {
                add(responseBytes, answer);
                super.onMessage(answer);
              }
            },
            headers);
      }

      @Override
      public void sendMessage(Q request) {
        add(requestBytes, request);
        records.add(recordsIn(request));
        super.sendMessage(request);
      }
    };
  }

  private static void add(LongAdder bytes, Object message) {
    bytes.add(((MessageLite) message).getSerializedSize());
  }

  private static long recordsIn(Object request) {
    return switch (request) {
      case RecordStepRequest _ -> 1;
      case WorkRequest work ->
          work.getCallsList().stream().filter(WorkRequest.Call::hasRecordStep).count();
      default -> 0;
    };
  }
}
