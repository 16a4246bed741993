package dev.hapax.grpc.call;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;

/** The field {@code wait} of requests that may wait for an answer. */
public final class WaitField {
  private static final String NAME = "wait";

  private WaitField() {}

  /** Returns whether the request is a long poll; an unset wait means yes. */
  public static boolean isSet(Object request) {
    if (!(request instanceof Message message)) {
      return false;
    }
    var field = message.getDescriptorForType().findFieldByName(NAME);
    if (field == null) {
      return false;
    }
    return message.hasField(field)
        ? message.getField(field) instanceof Duration wait
            && (wait.getSeconds() > 0 || wait.getNanos() > 0)
        : isLongPoll(message);
  }

  private static boolean isLongPoll(Message request) {
    return request instanceof PollTasksRequest
        || request instanceof PollRecoveriesRequest
        || request instanceof AwaitRunRequest
        || request instanceof AwaitIntentRequest;
  }
}
