package dev.hapax.console.bulk;

import java.util.List;
import java.util.Optional;

/**
 * The progress of a bulk change.
 *
 * @param failure what ended it before all runs were tried
 */
public record BulkJobView(
    int runs,
    int tried,
    int changed,
    List<Rejected> rejected,
    boolean ended,
    Optional<String> failure) {
  /** A run that was not changed. */
  public record Rejected(String run, String href, String reason) {}
}
