package dev.hapax.domain.run;

import dev.hapax.domain.Digest;
import dev.hapax.domain.TypeId;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.Optional;
import java.util.UUID;

/** One run; its UUID is of version 7, so that ids sort by time. */
public record RunId(Workspace workspace, UUID uuid) implements RecordKey<Run> {
  private static final String RUN = "run";
  private static final String STEP = "step";
  private static final long TIME_AND_VERSION = 0xFFFF_FFFF_FFFF_F000L;
  private static final long VARIANT = 0xC000_0000_0000_0000L;

  /** The id, if the text is one. */
  public static Optional<RunId> parse(Workspace workspace, String text) {
    return TypeId.parse(RUN, text).map(uuid -> new RunId(workspace, uuid));
  }

  /** As callers see it. */
  public String text() {
    return TypeId.print(RUN, uuid);
  }

  /** The id of a step: the same on every attempt, and of no other step in the world. */
  public String step(int index) {
    var drawn = Digest.sha256(uuid + "/" + index);
    var id =
        new UUID(
            mix(TIME_AND_VERSION, uuid.getMostSignificantBits(), drawn.getMostSignificantBits()),
            mix(VARIANT, uuid.getLeastSignificantBits(), drawn.getLeastSignificantBits()));
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
