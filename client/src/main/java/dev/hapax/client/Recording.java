package dev.hapax.client;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Records the named steps of one task, and asks for them. Blocks until it is known. */
final class Recording {

  private final TaskCalls calls;
  private final TaskLease lease;

  Recording(TaskCalls calls, TaskLease lease) {
    this.calls = calls;
    this.lease = lease;
  }

  /** What is recorded under the name. */
  Optional<Payload> ask(String name) {
    RecordStepResponse response = send(request(name).build());
    return response.hasRecorded()
        ? Optional.of(response.getRecorded().getOutput())
        : Optional.empty();
  }

  /**
   * What is recorded under the name: this, or what was before.
   *
   * @param consumed the signals that leave the inbox
   */
  Payload record(String name, Payload output, List<String> consumed) {
    RecordStepResponse response =
        send(request(name).setOutput(output).addAllConsumedSignalIds(consumed).build());
    return response.getRecorded().getOutput();
  }

  private RecordStepRequest.Builder request(String name) {
    return RecordStepRequest.newBuilder()
        .setWorkspace(calls.workspace())
        .setClaim(lease.claim())
        .setName(name);
  }

  private RecordStepResponse send(RecordStepRequest request) {
    throwIfTaken();
    RecordStepResponse response;
    try {
      response =
          Calls.await(calls.send(WorkerServiceGrpc.getRecordStepMethod(), request, lease))
              .response();
    } catch (RunException.Unavailable unreachable) {
      // an interrupt is how the loss of the task is told
      throwIfTaken();
      throw unreachable;
    } catch (RunException.Refused refused) {
      throw refusal(request.getName(), refused);
    }
    if (response.hasClaimLost()) {
      lease.take(response.getClaimLost().getReason());
    }
    throwIfTaken();
    return response;
  }

  /** The same would be refused in every execution. */
  private static FinalFailure refusal(String name, RunException.Refused refused) {
    ErrorReason reason = refused.reason();
    return new FinalFailure(
        reason.name().replace("ERROR_REASON_", ""),
        "the step " + name + " cannot be recorded: " + refused.status().getStatus(),
        refused);
  }

  private void throwIfTaken() {
    @Nullable ClaimLostReason reason = lease.lost();
    if (lease.isTaken() && reason != null) {
      throw new TaskLostException(reason);
    }
  }
}
