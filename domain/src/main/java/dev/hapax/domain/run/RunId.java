package dev.hapax.domain.run;

import dev.hapax.domain.Digest;
import dev.hapax.domain.TypeId;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.Optional;
import java.util.UUID;

/** The id of a run: a UUID of version 7, so that ids sort by time. */
public record RunId(Workspace workspace, UUID uuid) implements RecordKey<Run> {
  private static final String RUN = "run";
  private static final String STEP = "step";
  private static final long TIME_AND_VERSION = 0xFFFF_FFFF_FFFF_F000L;
  private static final long VARIANT = 0xC000_0000_0000_0000L;

  /** Parses an id; empty = the text is not a run id. */
  public static Optional<RunId> parse(Workspace workspace, String text) {
    return TypeId.parse(RUN, text).map(uuid -> new RunId(workspace, uuid));
  }

  /** The id as callers see it, such as {@code run_…}. */
  public String text() {
    return TypeId.print(RUN, uuid);
  }

  /** The id of a step: the same for every attempt, and globally unique. */
  public String step(int index) {
    var digest = Digest.sha256(uuid + "/" + index);
    var id =
        new UUID(
            mix(TIME_AND_VERSION, uuid.getMostSignificantBits(), digest.getMostSignificantBits()),
            mix(VARIANT, uuid.getLeastSignificantBits(), digest.getLeastSignificantBits()));
    return TypeId.print(STEP, id);
  }

  private static long mix(long mask, long masked, long rest) {
    return (masked & mask) | (rest & ~mask);
  }

  @Override
  public String toString() {
    return workspace.name() + "/" + text();
  }
}
