package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.StepDefinition.Timer;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.SuspendTaskRequest;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TaskDecodingTest {
  private static final TaskClaim CLAIM =
      new TaskClaim(new RunId(Workspace.DEFAULT, new UUID(0, 1)), 0, 1, new Fence(1));

  @Test
  @DisplayName("given a suspension with a duration, then the command keeps the duration")
  void duration() {
    var request =
        SuspendTaskRequest.newBuilder().setDuration(Duration.newBuilder().setSeconds(30)).build();

    var command =
        TaskDecoding.suspension(request, Instant.EPOCH, new RandomValues(() -> 1)).apply(CLAIM);

    assertThat(command.timer())
        .contains(new Timer(new Timer.After(java.time.Duration.ofSeconds(30))));
  }
}
