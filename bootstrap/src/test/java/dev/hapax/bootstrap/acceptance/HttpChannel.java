package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.StatusProto;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the unary calls of generated stubs by HTTP with JSON, so that tests of gRPC test HTTP. */
record HttpChannel(HttpCaller http) implements ClientInterceptor {
  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new Call<>(method);
  }

  private final class Call<Q, A> extends ClientCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private @Nullable Listener<A> listener;
    private @Nullable Q request;

    Call(MethodDescriptor<Q, A> method) {
      this.method = method;
    }

    @Override
    public void start(Listener<A> answers, Metadata headers) {
      listener = answers;
    }

    @Override
    public void sendMessage(Q message) {
      request = message;
    }

    @Override
    public void halfClose() {
      var answers = Objects.requireNonNull(listener);
      var answer = http.call(method, (Message) Objects.requireNonNull(request));
      if (answer.statusCode() == HttpCaller.OK) {
        answers.onHeaders(new Metadata());
        answers.onMessage(HttpCaller.parse(method, answer.body()));
        answers.onClose(Status.OK, new Metadata());
      } else {
        var error = error(answer.body());
        answers.onClose(error.getStatus(), Objects.requireNonNull(error.getTrailers()));
      }
    }

    private static StatusException error(String body) {
      return StatusProto.toStatusException(HttpCaller.status(body));
    }

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}
  }
}
