package dev.hapax.bootstrap.startup.lifecycle;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What a server says to one lifecycle or contract. */
public sealed interface ApplyAnswer {
  /**
   * It is so.
   *
   * @param already it was so before
   */
  record Done(boolean already) implements ApplyAnswer {}

  /**
   * It cannot be so.
   *
   * @param inTheWay each of what it would do harm to, as far as the server names them
   */
  record Refused(String why, List<String> inTheWay) implements ApplyAnswer {
    public Refused {
      inTheWay = List.copyOf(inTheWay);
    }

    /** For people: what is in the way has lines of its own. */
    String text() {
      return String.join("\n    ", why, String.join("\n    ", inTheWay)).stripTrailing();
    }
  }

  /** Somebody else is changing it, for seconds. */
  record Changing() implements ApplyAnswer {}

  /** What an error says that is about a file; any other is thrown again. */
  static ApplyAnswer of(StatusRuntimeException error) {
    var details = StatusProto.fromThrowable(error);
    var reasons = new ArrayList<String>();
    var inTheWay = new ArrayList<String>();
    try {
      for (var detail :
          details == null ? List.<com.google.protobuf.Any>of() : details.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          reasons.add("ERROR_REASON_" + detail.unpack(ErrorInfo.class).getReason());
        } else if (detail.is(PreconditionFailure.class)) {
          detail.unpack(PreconditionFailure.class).getViolationsList().stream()
              .map(each -> "%s: %s".formatted(each.getSubject(), each.getDescription()))
              .forEach(inTheWay::add);
        }
      }
    } catch (InvalidProtocolBufferException _) {
      // what is readable is told
    }
    if (reasons.contains(ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING.name())) {
      return new Changing();
    }
    if (error.getStatus().getCode() == Code.FAILED_PRECONDITION
        || reasons.contains(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND.name())
        || reasons.contains(ErrorReason.ERROR_REASON_LIMIT_REACHED.name())) {
      var why = Objects.requireNonNullElse(error.getStatus().getDescription(), "refused");
      return new Refused(why, inTheWay);
    }
    throw error;
  }
}
