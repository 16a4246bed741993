package dev.hapax.bootstrap.metrics;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;

/** The field {@code wait} of requests that may wait for an answer. */
final class WaitField {
  private static final String NAME = "wait";

  private WaitField() {}

  /** Whether the request asks to wait. */
  static boolean isSet(Object request) {
    if (!(request instanceof Message message)) {
      return false;
    }
    var field = message.getDescriptorForType().findFieldByName(NAME);
    return field != null
        && message.hasField(field)
        && message.getField(field) instanceof Duration wait
        && (wait.getSeconds() > 0 || wait.getNanos() > 0);
  }
}
