package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Collects the errors that a server sends: statuses, trailers, and those in messages. */
final class ErrorTexts implements ClientInterceptor {
  private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();

  List<String> all() {
    return List.copyOf(texts);
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
                if (answer instanceof Message message) {
                  errors(message)
                      .forEach(error -> texts.add(method.getFullMethodName() + " error " + error));
                }
                super.onMessage(answer);
              }

              @Override
              public void onClose(Status status, Metadata trailers) {
                texts.add(method.getFullMethodName() + " " + status + " " + text(trailers));
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }

  /** The errors of calls that share a message, such as those of a stream. */
  private static Stream<dev.hapax.v1.Error> errors(Message message) {
    return message instanceof dev.hapax.v1.Error error
        ? Stream.of(error)
        : message.getAllFields().values().stream()
            .flatMap(value -> value instanceof List<?> many ? many.stream() : Stream.of(value))
            .filter(Message.class::isInstance)
            .flatMap(part -> errors((Message) part));
  }

  private static String text(Metadata trailers) {
    var text = new StringBuilder();
    for (var name : trailers.keys()) {
      text.append(name).append('=');
      if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
        var value = trailers.get(Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER));
        text.append(new String(Objects.requireNonNull(value), StandardCharsets.UTF_8));
      } else {
        text.append(trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
      }
      text.append(' ');
    }
    return text.toString();
  }
}
