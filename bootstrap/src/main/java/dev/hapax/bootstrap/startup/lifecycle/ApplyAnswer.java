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

/** The answer of a server to a lifecycle or contract. */
public sealed interface ApplyAnswer {
  /**
   * The file is applied.
   *
   * @param already whether it was applied before
   */
  record Done(boolean already) implements ApplyAnswer {}

  /**
   * The file is rejected.
   *
   * @param blockers objects that prevent the change
   */
  record Refused(String why, List<String> blockers) implements ApplyAnswer {
    public Refused {
      blockers = List.copyOf(blockers);
    }

    /** Returns the reason, then a line for each blocker. */
    String text() {
      return String.join("\n    ", why, String.join("\n    ", blockers)).stripTrailing();
    }
  }

  /** Another client is changing it; this takes seconds. */
  record Changing() implements ApplyAnswer {}

  /** Converts an error about a file; rethrows any other error. */
  static ApplyAnswer of(StatusRuntimeException error) {
    var details = StatusProto.fromThrowable(error);
    var reasons = new ArrayList<String>();
    var blockers = new ArrayList<String>();
    try {
      for (var detail :
          details == null ? List.<com.google.protobuf.Any>of() : details.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          reasons.add("ERROR_REASON_" + detail.unpack(ErrorInfo.class).getReason());
        } else if (detail.is(PreconditionFailure.class)) {
          detail.unpack(PreconditionFailure.class).getViolationsList().stream()
              .map(each -> "%s: %s".formatted(each.getSubject(), each.getDescription()))
              .forEach(blockers::add);
        }
      }
    } catch (InvalidProtocolBufferException _) {
      // unreadable details are skipped
    }
    if (reasons.contains(ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING.name())) {
      return new Changing();
    }
    if (error.getStatus().getCode() == Code.FAILED_PRECONDITION
        || reasons.contains(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND.name())
        || reasons.contains(ErrorReason.ERROR_REASON_LIMIT_REACHED.name())) {
      var why = Objects.requireNonNullElse(error.getStatus().getDescription(), "rejected");
      return new Refused(why, blockers);
    }
    throw error;
  }
}
