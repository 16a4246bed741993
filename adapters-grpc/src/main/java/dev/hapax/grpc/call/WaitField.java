package dev.hapax.grpc.call;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.hapax.application.waiting.PollPace;
import dev.hapax.domain.WaitLimits;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;

/** The field {@code wait} of requests that may wait for an answer. */
public final class WaitField {
  private static final String NAME = "wait";

  private WaitField() {}

  /** Returns whether the request may wait; a long poll does so unless its wait is zero. */
  public static boolean mayWait(Object request) {
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

  /**
   * Reads the wait of a request, within the deadline of its call. An unset wait is the default of a
   * long poll, and zero for other requests.
   */
  public static java.time.Duration read(Message request) {
    var field = request.getDescriptorForType().findFieldByName(NAME);
    return Unary.withinDeadline(
        Durations.decode(
            request.hasField(field),
            (Duration) request.getField(field),
            isLongPoll(request) ? WaitLimits.OF_LONG_POLL : java.time.Duration.ZERO));
  }

  /** Reads the wait of a poll whose caller may have to wait longer than requested. */
  public static PollPace.Wait readPaced(Message poll) {
    return new PollPace.Wait(read(poll), Unary.withinDeadline(PollPace.MAX_WAIT));
  }

  private static boolean isLongPoll(Message request) {
    return request instanceof PollTasksRequest
        || request instanceof PollRecoveriesRequest
        || request instanceof AwaitRunRequest
        || request instanceof AwaitIntentRequest;
  }
}
