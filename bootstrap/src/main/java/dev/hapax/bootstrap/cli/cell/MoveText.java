package dev.hapax.bootstrap.cli.cell;

import dev.hapax.domain.cell.WorkspaceMove;
import java.util.Locale;

/** Describes a move that has begun and not ended. */
public final class MoveText {
  private MoveText() {}

  public static String of(WorkspaceMove move) {
    return "workspace %s is being moved from cell %s to cell %s (step %s)"
        .formatted(
            move.workspace().name(),
            move.source(),
            move.target(),
            move.step().name().toLowerCase(Locale.ROOT));
  }
}
