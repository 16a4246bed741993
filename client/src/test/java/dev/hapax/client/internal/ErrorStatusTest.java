package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.RetryInfo;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ErrorStatusTest {

  @Test
  @DisplayName(
      "given an error of one call in a batch, when it is converted, then the status equals "
          + "that of the unary call")
  void same() {
    List<StartRunRequest> bad =
        List.of(
            StartRunRequest.getDefaultInstance(),
            StartRunRequest.newBuilder().setDefinition("none").build());
    try (InMemoryHapax hapax = InMemoryHapax.start()) {
      var runs = RunServiceGrpc.newBlockingStub(hapax.channel());
      var results =
          runs.startRuns(StartRunsRequest.newBuilder().addAllRequests(bad).build())
              .getResultsList();
      for (int i = 0; i < bad.size(); i++) {
        StartRunRequest request = bad.get(i);
        StatusRuntimeException unary =
            catchThrowableOfType(StatusRuntimeException.class, () -> runs.startRun(request));
        StatusRuntimeException rebuilt = ErrorStatus.of(results.get(i).getError());
        assertThat(StatusProto.fromThrowable(rebuilt)).isEqualTo(StatusProto.fromThrowable(unary));
        assertThat(ErrorStatus.read(unary)).isEqualTo(results.get(i).getError());
      }
    }
  }

  @Test
  @DisplayName(
      "given an error with all its fields, when it is converted, then each is a detail of "
          + "the status, and is read from it")
  void details() {
    Duration delay = Duration.newBuilder().setSeconds(2).build();
    Error error =
        Error.newBuilder()
            .setCode(Status.Code.UNAVAILABLE.value())
            .setReason(ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING)
            .setMessage("changing")
            .putMetadata("lifecycle", "invoice")
            .setRetryAfter(delay)
            .addFieldViolations(
                Error.FieldViolation.newBuilder().setField("f").setDescription("rule"))
            .addPreconditionViolations(
                Error.PreconditionViolation.newBuilder()
                    .setType("T")
                    .setSubject("s")
                    .setDescription("d"))
            .build();
    StatusRuntimeException status = ErrorStatus.of(error);

    assertThat(ErrorStatus.read(status)).isEqualTo(error);
    assertThat(status.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(status.getStatus().getDescription()).isEqualTo("changing");
    assertThat(StatusProto.fromThrowable(status))
        .isEqualTo(
            com.google.rpc.Status.newBuilder()
                .setCode(Status.Code.UNAVAILABLE.value())
                .setMessage("changing")
                .addDetails(
                    Any.pack(
                        ErrorInfo.newBuilder()
                            .setDomain("hapax.dev")
                            .setReason("LIFECYCLE_CHANGING")
                            .putMetadata("lifecycle", "invoice")
                            .build()))
                .addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()))
                .addDetails(
                    Any.pack(
                        BadRequest.newBuilder()
                            .addFieldViolations(
                                BadRequest.FieldViolation.newBuilder()
                                    .setField("f")
                                    .setDescription("rule"))
                            .build()))
                .addDetails(
                    Any.pack(
                        PreconditionFailure.newBuilder()
                            .addViolations(
                                PreconditionFailure.Violation.newBuilder()
                                    .setType("T")
                                    .setSubject("s")
                                    .setDescription("d"))
                            .build()))
                .build());
  }

  @Test
  @DisplayName(
      "given a reason of a newer server, when it is converted, then it is UNRECOGNIZED as in "
          + "a unary call")
  void newer() {
    StatusRuntimeException status =
        ErrorStatus.of(
            Error.newBuilder()
                .setCode(Status.Code.FAILED_PRECONDITION.value())
                .setReasonValue(9_999)
                .build());

    assertThat(ErrorStatus.read(status).getReason()).isEqualTo(ErrorReason.UNRECOGNIZED);
  }

  @Test
  @DisplayName("given an error of another origin, when it is converted, then it has no reason")
  void foreign() {
    StatusRuntimeException status =
        ErrorStatus.of(Error.newBuilder().setCode(Status.Code.UNIMPLEMENTED.value()).build());

    assertThat(status.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(ErrorStatus.read(status).getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNSPECIFIED);
  }
}
