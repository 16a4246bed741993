package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a list that filter by how and when something ended. */
public final class EndFilter {
  @Option(
      names = "--failure-code",
      paramLabel = "CODE",
      description = "Only those that failed with this code.")
  private String failureCode = "";

  @Option(
      names = "--ended-since",
      paramLabel = "TIME",
      converter = TimeOption.Converter.class,
      description = "Only those that ended since then: 2030-01-31T10:00:00Z, or 48h ago.")
  private Optional<TimeOption> since = Optional.empty();

  @Option(
      names = "--ended-before",
      paramLabel = "TIME",
      converter = TimeOption.Converter.class,
      description = "Only those that ended before that.")
  private Optional<TimeOption> before = Optional.empty();

  /** Empty = any. */
  public String failureCode() {
    return failureCode;
  }

  public Optional<Timestamp> since(Instant now) {
    return since.map(time -> TimeOption.wire(time.ago(now)));
  }

  public Optional<Timestamp> before(Instant now) {
    return before.map(time -> TimeOption.wire(time.ago(now)));
  }
}
