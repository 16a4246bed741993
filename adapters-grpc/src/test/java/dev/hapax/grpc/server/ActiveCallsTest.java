package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WhoAmIResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ActiveCallsTest {
  private static final class Identity extends IdentityServiceGrpc.IdentityServiceImplBase {
    @Override
    public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> answer) {
      answer.onNext(WhoAmIResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  @Test
  @DisplayName("given a unary call, when a drain begins before its request, then it is answered")
  void drainBeforeRequest() throws Exception {
    var calls = new ActiveCalls();
    var name = InProcessServerBuilder.generateName();
    var server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .intercept(calls)
            .addService(RequestReader.around(new Identity().bindService()))
            .build()
            .start();
    var channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    try {
      var ended = new CompletableFuture<Status>();
      ClientCall<WhoAmIRequest, WhoAmIResponse> call =
          channel.newCall(IdentityServiceGrpc.getWhoAmIMethod(), CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              ended.complete(status);
            }
          },
          new Metadata());
      call.request(2);
      calls.drain(Status.UNAVAILABLE::asRuntimeException);
      call.sendMessage(WhoAmIRequest.getDefaultInstance());
      call.halfClose();
      assertThat(ended.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.OK);
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }
}
