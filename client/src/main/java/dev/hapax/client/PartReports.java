package dev.hapax.client;

import dev.hapax.client.internal.Methods;
import dev.hapax.client.internal.UnknownOutcome;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reports the parts of one task, and reads their records. One call is under way at a time: reports
 * that arrive meanwhile share the next one.
 */
final class PartReports {

  private static final int MAX_PARTS = 100;
  private static final int MAX_BYTES = 768 * 1024;

  private final Connection connection;
  private final Claim claim;
  private final StatePatch patch;
  // guards the rest; not held during a call, so that those whose reports it has sent go on
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition answered = lock.newCondition();
  private final Deque<Report> waiting = new ArrayDeque<>();
  private boolean isSending;

  /** Entries that are stored together, with their change of the run's state. */
  private static final class Report {
    private final List<PartRecord> parts;
    private final Map<String, String> members;
    // of the sender until it is done
    private @Nullable List<PartResult> results;
    private @Nullable HapaxException failure;
    // guarded by the lock
    private boolean isDone;

    Report(List<PartRecord> parts, Map<String, String> members) {
      this.parts = parts;
      this.members = members;
    }

    int size() {
      return parts.stream().mapToInt(PartRecord::getSerializedSize).sum();
    }

    boolean hasOutput() {
      return parts.stream().anyMatch(PartRecord::hasOutput);
    }
  }

  PartReports(Connection connection, Claim claim, StatePatch patch) {
    this.connection = connection;
    this.claim = claim;
    this.patch = patch;
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
    claim.throwIfRevoked();
    Report report = new Report(parts, members);
    lock.lock();
    try {
      waiting.add(report);
      while (!report.isDone) {
        if (isSending) {
          answered.awaitUninterruptibly();
        } else {
          sendNext();
        }
      }
    } finally {
      lock.unlock();
    }
    if (report.failure instanceof HapaxException.Refused refused) {
      throw refusal(refused, "part " + parts.get(0).getName() + " was not recorded");
    }
    if (report.failure != null) {
      throw report.failure;
    }
    return Objects.requireNonNull(report.results);
  }

  private void sendNext() {
    List<Report> batch = batch();
    isSending = true;
    lock.unlock();
    try {
      send(batch);
    } finally {
      lock.lock();
      isSending = false;
      batch.forEach(report -> report.isDone = true);
      answered.signalAll();
    }
  }

  private List<Report> batch() {
    List<Report> batch = new ArrayList<>();
    int parts = 0;
    int bytes = 0;
    for (Report next = waiting.peek(); next != null; next = waiting.peek()) {
      parts += next.parts.size();
      bytes += next.size();
      if (!batch.isEmpty() && (parts > MAX_PARTS || bytes > MAX_BYTES)) {
        break;
      }
      batch.add(waiting.remove());
    }
    return batch;
  }

  private void send(List<Report> batch) {
    Map<String, String> pending =
        batch.stream().anyMatch(Report::hasOutput) ? patch.take() : Map.of();
    Map<String, String> members = new LinkedHashMap<>(pending);
    RecordStepRequest.Builder request =
        RecordStepRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message());
    for (Report report : batch) {
      request.addAllParts(report.parts);
      members.putAll(report.members);
    }
    try {
      claim.throwIfRevoked();
      var change = StatePatch.payload(members);
      if (change != null) {
        request.setStatePatch(change);
      }
      RecordStepResponse response =
          connection
              .record(request.build(), RecordStepResponse.getDefaultInstance(), claim)
              .message();
      if (response.hasClaimLost()) {
        claim.lease().revoke(response.getClaimLost().getReason());
      }
      claim.throwIfRevoked();
      deliver(batch, response.getParts().getResultsList());
    } catch (HapaxException failed) {
      patch.giveBack(pending);
      if (failed instanceof HapaxException.Refused && batch.size() > 1) {
        // one entry that Hapax rejects must not fail the others
        batch.forEach(report -> send(List.of(report)));
      } else {
        batch.forEach(report -> report.failure = failed);
      }
    }
  }

  private static void deliver(List<Report> batch, List<PartResult> results) {
    var method =
        Methods.of(RecordStepRequest.getDefaultInstance(), RecordStepResponse.getDefaultInstance());
    int from = 0;
    for (Report report : batch) {
      int to = from + report.parts.size();
      if (to > results.size()) {
        report.failure =
            new HapaxException.UnknownAnswer(
                Status.INTERNAL.withDescription("results are missing").asRuntimeException());
      } else {
        List<PartResult> own = results.subList(from, to);
        report.results = own;
        own.stream()
            .flatMap(each -> UnknownOutcome.of(method, each).stream())
            .findFirst()
            .ifPresent(unknown -> report.failure = new HapaxException.UnknownAnswer(unknown));
      }
      from = to;
    }
  }

  /** A page of the records that the task did not bring. */
  ListRecordsResponse page(String token) {
    claim.throwIfRevoked();
    ListRecordsRequest request =
        ListRecordsRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setPageToken(token)
            .build();
    ListRecordsResponse page;
    try {
      page = connection.record(request, ListRecordsResponse.getDefaultInstance(), claim).message();
    } catch (HapaxException.Refused refused) {
      throw refusal(refused, "the records were not read");
    }
    if (page.hasClaimLost()) {
      claim.lease().revoke(page.getClaimLost().getReason());
    }
    claim.throwIfRevoked();
    return page;
  }

  /** A final failure for a rejected call, which every retry of the handler would get again. */
  static FinalFailure refusal(HapaxException.Refused refused, String summary) {
    return new FinalFailure(
        refused.reason().name().replace("ERROR_REASON_", ""),
        summary + ": " + refused.reasonText(),
        refused);
  }
}
