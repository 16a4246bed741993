package dev.hapax.bootstrap.cli.cell;

import dev.hapax.postgres.cell.WorkspaceMover;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Prints the steps of a move, and every two seconds how far the current one is. */
final class MoveProgress implements WorkspaceMover.Report {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintWriter out;
  private final PrintWriter err;
  private long printedNanos = System.nanoTime();

  MoveProgress(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public void done(String text) {
    out.println(text);
    out.flush();
    printedNanos = System.nanoTime();
  }

  @Override
  public void progress(String text) {
    if (System.nanoTime() - printedNanos > PERIOD_NANOS) {
      err.println("  " + text);
      err.flush();
      printedNanos = System.nanoTime();
    }
  }

  void failed() {
    err.println(
        "the move has not ended; run the command again to go on, or with --cancel to undo it");
    err.flush();
  }
}
