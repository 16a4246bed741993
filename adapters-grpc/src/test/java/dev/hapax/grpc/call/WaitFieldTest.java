package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitFieldTest {
  static List<Message> longPolls() {
    return List.of(
        PollTasksRequest.getDefaultInstance(),
        PollRecoveriesRequest.getDefaultInstance(),
        AwaitRunRequest.getDefaultInstance(),
        AwaitIntentRequest.getDefaultInstance());
  }

  static List<Message> begins() {
    return List.of(
        BeginOperationRequest.getDefaultInstance(), BeginActionRequest.getDefaultInstance());
  }

  static Stream<Message> all() {
    return Stream.of(longPolls(), begins()).flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("longPolls")
  @DisplayName("given a long poll whose wait is unset, then it waits 20 s")
  void longPollByDefault(Message request) {
    assertThat(WaitField.mayWait(request)).isTrue();
    assertThat(WaitField.read(request)).hasSeconds(20);
  }

  @ParameterizedTest
  @MethodSource("begins")
  @DisplayName("given another request whose wait is unset, then it does not wait")
  void atOnceByDefault(Message request) {
    assertThat(WaitField.mayWait(request)).isFalse();
    assertThat(WaitField.read(request)).isZero();
  }

  @ParameterizedTest
  @MethodSource("all")
  @DisplayName("given a wait, then the request waits unless it is zero")
  void explicit(Message request) {
    var shortest = with(request, Duration.newBuilder().setNanos(1));
    assertThat(WaitField.mayWait(shortest)).isTrue();
    assertThat(WaitField.read(shortest)).hasNanos(1);
    var zero = with(request, Duration.newBuilder());
    assertThat(WaitField.mayWait(zero)).isFalse();
    assertThat(WaitField.read(zero)).isZero();
  }

  @Test
  @DisplayName("given a request without the field, then it does not wait")
  void without() {
    assertThat(WaitField.mayWait(GetRunRequest.getDefaultInstance())).isFalse();
  }

  private static Message with(Message request, Duration.Builder wait) {
    var field = request.getDescriptorForType().findFieldByName("wait");
    return request.toBuilder().setField(field, wait.build()).build();
  }
}
