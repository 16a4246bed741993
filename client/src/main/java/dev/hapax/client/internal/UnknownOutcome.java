package dev.hapax.client.internal;

import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.stream.Collectors;

/** The error of a call whose response has an outcome that is newer than this client. */
public final class UnknownOutcome extends StatusRuntimeException {

  private UnknownOutcome(String text) {
    super(Status.UNIMPLEMENTED.withDescription(text));
  }

  /** The error for a response; empty = this client knows the outcome, or there is none. */
  public static Optional<StatusRuntimeException> of(
      MethodDescriptor<?, ?> method, Object response) {
    if (!(response instanceof Message message)) {
      return Optional.empty();
    }
    for (OneofDescriptor oneof : message.getDescriptorForType().getOneofs()) {
      if (oneof.getName().equals("outcome") && !message.hasOneof(oneof)) {
        return Optional.of(new UnknownOutcome(text(method, message)));
      }
    }
    return Optional.empty();
  }

  private static String text(MethodDescriptor<?, ?> method, Message response) {
    String fields =
        response.getUnknownFields().asMap().keySet().stream()
            .map(number -> "field " + number)
            .collect(Collectors.joining(", "));
    return "Hapax answered "
        + method.getBareMethodName()
        + " with an outcome that this client does not know ("
        + (fields.isEmpty() ? "no field" : fields)
        + "); upgrade it";
  }
}
