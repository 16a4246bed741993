package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.RunView;
import java.time.Instant;
import java.util.List;

/** The runs of a list: those that have all that is named here. Each method returns a copy. */
public final class RunFilter {

  private final ListRunsRequest message;

  private RunFilter(ListRunsRequest.Builder message) {
    this.message = message.build();
  }

  static RunFilter of(Connection connection) {
    return new RunFilter(ListRunsRequest.newBuilder().setWorkspace(connection.workspace()));
  }

  /** One of these statuses, at most 100. Default: any. */
  public RunFilter status(RunStatus... statuses) {
    return new RunFilter(message.toBuilder().clearStatuses().addAllStatuses(List.of(statuses)));
  }

  /** One of these definitions, in any version; at most 100. Default: any. */
  public RunFilter definition(String... names) {
    return new RunFilter(message.toBuilder().clearDefinitions().addAllDefinitions(List.of(names)));
  }

  /** Has this label, besides others that are named; at most 32. */
  public RunFilter label(String name, String value) {
    return new RunFilter(message.toBuilder().putLabels(name, value));
  }

  /** Has FAILED with this code; at most 255 characters. */
  public RunFilter failureCode(String code) {
    return new RunFilter(message.toBuilder().setFailureCode(KeyText.check("failureCode", code)));
  }

  /** Was created at this time or later. */
  public RunFilter createdAfter(Instant time) {
    return new RunFilter(message.toBuilder().setCreatedAfter(ProtoTimes.toProto(time)));
  }

  /** Was created before this time. */
  public RunFilter createdBefore(Instant time) {
    return new RunFilter(message.toBuilder().setCreatedBefore(ProtoTimes.toProto(time)));
  }

  /** Ended at this time or later. */
  public RunFilter endedAfter(Instant time) {
    return new RunFilter(message.toBuilder().setEndedAfter(ProtoTimes.toProto(time)));
  }

  /** Ended before this time. */
  public RunFilter endedBefore(Instant time) {
    return new RunFilter(message.toBuilder().setEndedBefore(ProtoTimes.toProto(time)));
  }

  /** Returns the runs with their input, state and output. Default: without. */
  public RunFilter full() {
    return new RunFilter(message.toBuilder().setView(RunView.RUN_VIEW_FULL));
  }

  ListRunsRequest message() {
    return message;
  }
}
