package dev.hapax.domain.run;

import java.util.List;
import java.util.UUID;

/**
 * The turn of a run in the lines of the limits of its step, or of its definition.
 *
 * @param turn its number in all of these lines
 * @param lines by their hashes
 */
public record StepTurn(long turn, List<UUID> lines) {
  public StepTurn {
    lines = lines.stream().sorted().toList();
    if (lines.isEmpty()) {
      throw new IllegalArgumentException("a turn needs a line");
    }
  }
}
