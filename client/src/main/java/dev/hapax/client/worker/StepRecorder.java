package dev.hapax.client.worker;

import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import java.util.List;
import java.util.Optional;

/** Records and reads the named steps of one task. Blocks until Hapax has responded. */
final class StepRecorder {

  private final TaskCalls calls;
  private final ClaimLease lease;

  StepRecorder(TaskCalls calls, ClaimLease lease) {
    this.calls = calls;
    this.lease = lease;
  }

  /** The output recorded under the name. */
  Optional<Payload> find(String name) {
    RecordStepResponse response = send(request(name).build());
    return response.hasRecorded()
        ? Optional.of(response.getRecorded().getOutput())
        : Optional.empty();
  }

  /**
   * Records an output, and returns the recorded one: this, or an earlier one.
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
    TaskCalls.throwIfRevoked(lease);
    RecordStepResponse response;
    try {
      response = UnaryCalls.await(calls.send(WorkerRpcs.RECORD_STEP, request, lease)).response();
    } catch (HapaxException.Unavailable unreachable) {
      // the interrupt may be due to the loss of the task
      TaskCalls.throwIfRevoked(lease);
      throw unreachable;
    } catch (HapaxException.Refused refused) {
      throw TaskCalls.finalFailure(refused, "step " + request.getName() + " was not recorded");
    }
    if (response.hasClaimLost()) {
      lease.revoke(response.getClaimLost().getReason());
    }
    TaskCalls.throwIfRevoked(lease);
    return response;
  }
}
