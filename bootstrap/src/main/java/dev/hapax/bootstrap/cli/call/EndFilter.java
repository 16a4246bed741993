package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The filters of a list by failure code and end time. */
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
      description = "Only those that ended since a time (2030-01-31T10:00:00Z) or an age (48h).")
  private Optional<TimeOption> since = Optional.empty();

  @Option(
      names = "--ended-before",
      paramLabel = "TIME",
      converter = TimeOption.Converter.class,
      description = "Only those that ended before a time or an age.")
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
