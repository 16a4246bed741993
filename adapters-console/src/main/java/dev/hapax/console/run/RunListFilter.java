package dev.hapax.console.run;

import com.google.protobuf.Timestamp;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.MaxAge;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.RunStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which runs a list shows, as its address says.
 *
 * @param labels {@code key=value}
 * @param age since their creation
 */
public record RunListFilter(
    List<RunStatus> statuses,
    String definition,
    List<String> labels,
    String failureCode,
    MaxAge age) {
  private static final String STATUS = "RUN_STATUS_";

  /** Reads the fields of an address; unknown values are left out. */
  public static RunListFilter read(Fields query) {
    return new RunListFilter(
        query.all("status").stream().flatMap(word -> status(word).stream()).distinct().toList(),
        query.text("definition"),
        query.all("label"),
        query.text("code"),
        MaxAge.read(query.text(MaxAge.FIELD)));
  }

  private static Optional<RunStatus> status(String word) {
    return choices().stream().filter(status -> word(status).equals(word)).findFirst();
  }

  /** The statuses that a run can have. */
  public static List<RunStatus> choices() {
    return List.of(
        RunStatus.RUN_STATUS_PENDING,
        RunStatus.RUN_STATUS_RUNNING,
        RunStatus.RUN_STATUS_WAITING,
        RunStatus.RUN_STATUS_PAUSED,
        RunStatus.RUN_STATUS_FAILED,
        RunStatus.RUN_STATUS_CANCELLED,
        RunStatus.RUN_STATUS_COMPLETED);
  }

  public static String word(RunStatus status) {
    return status.name().replace(STATUS, "");
  }

  public boolean has(RunStatus status) {
    return statuses.contains(status);
  }

  public boolean isEmpty() {
    return statuses.isEmpty()
        && definition.isEmpty()
        && labels.isEmpty()
        && failureCode.isEmpty()
        && age.isAny();
  }

  /** The request for these runs; a label without value is that with an empty one. */
  public ListRunsRequest.Builder request(String workspace, Instant now) {
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(workspace)
            .addAllStatuses(statuses)
            .setFailureCode(failureCode);
    if (!definition.isEmpty()) {
      request.addDefinitions(definition);
    }
    for (var label : labels) {
      var equals = label.indexOf('=');
      request.putLabels(
          equals < 0 ? label : label.substring(0, equals),
          equals < 0 ? "" : label.substring(equals + 1));
    }
    age.from(now).ifPresent(request::setCreatedAfter);
    return request;
  }

  public static Timestamp timestamp(Instant at) {
    return Timestamp.newBuilder().setSeconds(at.getEpochSecond()).setNanos(at.getNano()).build();
  }

  /** The address of the list with this filter. */
  public Address address(String workspace) {
    return with(Address.of(workspace, "runs"));
  }

  /** The address where a verb is applied to all runs with this filter. */
  public String href(String workspace, RunVerb verb) {
    return with(Address.of(workspace, "bulk", verb.word())).href();
  }

  private Address with(Address page) {
    return page.with("status", statuses.stream().map(RunListFilter::word).toList())
        .with("definition", definition)
        .with("label", labels)
        .with("code", failureCode)
        .with(MaxAge.FIELD, age.word());
  }

  /** All runs of one status. */
  public static RunListFilter of(RunStatus status) {
    return new RunListFilter(List.of(status), "", List.of(), "", MaxAge.ANY);
  }

  /** Whether a run with this filter can have one of these statuses. */
  public boolean allows(Set<RunStatus> others) {
    return statuses.isEmpty() || statuses.stream().anyMatch(others::contains);
  }

  /** The same filter for those of these statuses that it allows, one of them at least. */
  public RunListFilter narrowed(Set<RunStatus> others) {
    var both = choices().stream().filter(others::contains).filter(status -> allows(Set.of(status)));
    return new RunListFilter(both.toList(), definition, labels, failureCode, age);
  }

  /** The same filter for one definition. */
  public RunListFilter of(String name) {
    return new RunListFilter(statuses, name, labels, failureCode, age);
  }
}
