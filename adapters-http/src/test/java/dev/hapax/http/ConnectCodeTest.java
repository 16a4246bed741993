package dev.hapax.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConnectCodeTest {
  @Test
  @DisplayName(
      "given each gRPC code, then its name and HTTP status are those of the Connect protocol")
  void table() {
    var table =
        Arrays.stream(Status.Code.values())
            .filter(code -> code != Status.Code.OK)
            .map(ConnectCode::of)
            .map(code -> code.wireName() + " " + code.httpStatus())
            .collect(Collectors.joining("\n"));
    assertThat(table)
        .isEqualTo(
            """
            canceled 499
            unknown 500
            invalid_argument 400
            deadline_exceeded 504
            not_found 404
            already_exists 409
            permission_denied 403
            resource_exhausted 429
            failed_precondition 400
            aborted 409
            out_of_range 400
            unimplemented 501
            internal 500
            unavailable 503
            data_loss 500
            unauthenticated 401""");
  }
}
