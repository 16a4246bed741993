package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.StatusTag;
import dev.hapax.v1.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/** A run in a list. */
public record RunRow(
    String id,
    String href,
    String definition,
    String version,
    StatusTag status,
    String step,
    String failure,
    DisplayTime created,
    String took,
    List<String> labels) {
  public static RunRow of(Run run, Instant now) {
    var created = DisplayTime.of(run.getCreatedAt(), now);
    var end = run.hasEndedAt() ? DisplayTime.of(run.getEndedAt(), now).at() : now;
    return new RunRow(
        run.getId(),
        Address.ofRun(run.getWorkspace(), run.getId()).href(),
        run.getDefinition(),
        run.getDefinitionVersion(),
        StatusTag.of(run.getStatus()),
        run.getCurrentStep(),
        run.hasFailure()
            ? (run.getFailure().getCode() + " " + run.getFailure().getMessage()).strip()
            : "",
        created,
        DurationFormat.exact(Duration.between(created.at(), end)),
        new TreeMap<>(run.getLabelsMap())
            .entrySet().stream().map(label -> label.getKey() + "=" + label.getValue()).toList());
  }
}
