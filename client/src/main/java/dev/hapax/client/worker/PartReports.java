package dev.hapax.client.worker;

import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.UnknownOutcome;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reports the parts of one task, and reads their records. Blocks until Hapax has responded. One
 * call is under way at a time: reports that arrive meanwhile share the next one.
 */
final class PartReports {

  private static final int MAX_PARTS = 100;
  private static final int MAX_BYTES = 768 * 1024;

  private final TaskCalls calls;
  private final ClaimLease lease;
  private final StatePatch patch = new StatePatch();

  // guarded by this
  private final Deque<Report> waiting = new ArrayDeque<>();
  private boolean sending;
  private int alone;

  /** Entries that are stored together, with their change of the run's state. */
  private record Report(
      List<PartRecord> parts,
      Map<String, String> patch,
      Context context,
      CompletableFuture<List<PartResult>> results) {

    int size() {
      return parts.stream().mapToInt(PartRecord::getSerializedSize).sum();
    }

    boolean hasOutput() {
      return parts.stream().anyMatch(PartRecord::hasOutput);
    }
  }

  PartReports(TaskCalls calls, ClaimLease lease) {
    this.calls = calls;
    this.lease = lease;
  }

  /** The changes of the run's state that go with the next output. */
  StatePatch patch() {
    return patch;
  }

  /** Reports one part. */
  PartResult report(PartRecord part) {
    return report(List.of(part), Map.of()).get(0);
  }

  /**
   * Reports parts in one call, all or none.
   *
   * @param members a change of the run's state
   * @return the results in the order of the parts
   */
  List<PartResult> report(List<PartRecord> parts, Map<String, String> members) {
    TaskCalls.throwIfRevoked(lease);
    Report report = new Report(parts, members, Context.current(), new CompletableFuture<>());
    boolean isFirst;
    synchronized (this) {
      waiting.add(report);
      isFirst = !sending;
      sending = true;
    }
    if (isFirst) {
      sendNext();
    }
    return await(report.results, "part " + parts.get(0).getName() + " was not recorded");
  }

  private void sendNext() {
    List<Report> batch = takeBatch();
    if (!batch.isEmpty()) {
      batch.get(0).context.run(() -> send(batch));
    }
  }

  private synchronized List<Report> takeBatch() {
    List<Report> batch = new ArrayList<>();
    int parts = 0;
    int bytes = 0;
    for (Report next = waiting.peek(); next != null; next = waiting.peek()) {
      parts += next.parts.size();
      bytes += next.size();
      if (!batch.isEmpty() && (alone > 0 || parts > MAX_PARTS || bytes > MAX_BYTES)) {
        break;
      }
      batch.add(waiting.remove());
    }
    alone = Math.max(0, alone - 1);
    sending = !batch.isEmpty();
    return batch;
  }

  private void send(List<Report> batch) {
    Map<String, String> pending =
        batch.stream().anyMatch(Report::hasOutput) ? patch.take() : Map.of();
    Map<String, String> members = new LinkedHashMap<>(pending);
    batch.forEach(report -> members.putAll(report.patch));
    RecordStepRequest.Builder request =
        RecordStepRequest.newBuilder().setWorkspace(calls.workspace()).setClaim(lease.claim());
    batch.forEach(report -> request.addAllParts(report.parts));
    if (!members.isEmpty()) {
      request.setStatePatch(Payload.newBuilder().setJson(StatePatch.json(members)));
    }
    var unused =
        calls
            .send(WorkerRpcs.RECORD_STEP, request.build(), lease)
            .whenComplete((answer, error) -> answered(batch, pending, answer, error));
  }

  private void answered(
      List<Report> batch,
      Map<String, String> pending,
      RetryingCalls.@Nullable Answer<RecordStepResponse> answer,
      @Nullable Throwable error) {
    if (answer == null) {
      patch.giveBack(pending);
      failed(batch, UnaryCalls.statusOf(error));
    } else if (answer.response().hasClaimLost()) {
      lost(batch, answer.response().getClaimLost());
    } else {
      deliver(batch, answer.response());
    }
    sendNext();
  }

  /** One entry that Hapax rejects must not fail the others. */
  private void failed(List<Report> batch, StatusRuntimeException error) {
    boolean isRejected =
        UnaryCalls.toException(error) instanceof HapaxException.Refused && batch.size() > 1;
    if (isRejected) {
      synchronized (this) {
        for (int i = batch.size() - 1; i >= 0; i--) {
          waiting.addFirst(batch.get(i));
        }
        alone += batch.size();
      }
    } else {
      batch.forEach(report -> report.results.completeExceptionally(error));
    }
  }

  private void lost(List<Report> batch, ClaimLost lost) {
    lease.revoke(lost.getReason());
    List<Report> all = new ArrayList<>(batch);
    synchronized (this) {
      all.addAll(waiting);
      waiting.clear();
    }
    all.forEach(
        report -> report.results.completeExceptionally(new TaskLostException(lost.getReason())));
  }

  private static void deliver(List<Report> batch, RecordStepResponse response) {
    List<PartResult> results = response.getParts().getResultsList();
    int from = 0;
    for (Report report : batch) {
      int to = from + report.parts.size();
      Optional<StatusRuntimeException> unknown =
          to > results.size()
              ? Optional.of(
                  Status.INTERNAL.withDescription("results are missing").asRuntimeException())
              : results.subList(from, to).stream()
                  .flatMap(each -> UnknownOutcome.of(WorkerRpcs.RECORD_STEP, each).stream())
                  .findFirst();
      if (unknown.isPresent()) {
        report.results.completeExceptionally(unknown.get());
      } else {
        report.results.complete(results.subList(from, to));
      }
      from = to;
    }
  }

  /** A page of the records that the task did not bring. */
  ListRecordsResponse page(String token) {
    TaskCalls.throwIfRevoked(lease);
    ListRecordsRequest request =
        ListRecordsRequest.newBuilder()
            .setWorkspace(calls.workspace())
            .setClaim(lease.claim())
            .setPageToken(token)
            .build();
    ListRecordsResponse page =
        await(
            calls
                .send(WorkerRpcs.LIST_RECORDS, request, lease)
                .thenApply(RetryingCalls.Answer::response),
            "the records were not read");
    if (page.hasClaimLost()) {
      lease.revoke(page.getClaimLost().getReason());
    }
    TaskCalls.throwIfRevoked(lease);
    return page;
  }

  private <R> R await(CompletableFuture<R> answer, String refusal) {
    try {
      return UnaryCalls.await(answer);
    } catch (HapaxException.Unavailable unreachable) {
      // the interrupt may be due to the loss of the task
      TaskCalls.throwIfRevoked(lease);
      throw unreachable;
    } catch (HapaxException.Refused refused) {
      throw TaskCalls.finalFailure(refused, refusal);
    }
  }
}
