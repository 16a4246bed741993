package dev.hapax.bootstrap.cli.call;

/** The filters of a list by failure code and end time. */
public final class EndFilter {
  private EndFilter() {}

  public static RpcCommand addTo(RpcCommand list) {
    return list.option("--failure-code", "CODE", "Only those that failed with this code.")
        .since(
            "--ended-since",
            "ended_after",
            "Only those that ended since a time (2030-01-31T10:00:00Z) or an age (48h).")
        .since("--ended-before", "ended_before", "Only those that ended before a time or an age.");
  }
}
