package dev.hapax.bootstrap.cli.call;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Asks for confirmation and shows progress.
 *
 * @param isInteractive whether standard input is a terminal; scripts get lines without questions
 */
public record Terminal(boolean isInteractive, Reader in, PrintWriter err) {
  private static final int BAR = 30;
  private static final Set<String> YES = Set.of("y", "yes");

  /** Returns the terminal of this process. */
  public static Terminal ofProcess(PrintWriter err) {
    var console = Optional.ofNullable(System.console());
    return new Terminal(
        console.filter(Console::isTerminal).isPresent(),
        new InputStreamReader(System.in, Charset.defaultCharset()),
        err);
  }

  /** Asks a question; any answer but yes means no. */
  public boolean confirms(String question) throws IOException {
    err.print(question + " [y/N] ");
    err.flush();
    var answer = new BufferedReader(in).readLine();
    return answer != null && YES.contains(answer.strip().toLowerCase(Locale.ROOT));
  }

  /** Prints the progress: a bar on a terminal, a line otherwise. */
  public void progress(int done, int all) {
    if (!isInteractive) {
      err.println(done + " of " + all);
      return;
    }
    int filled = (int) ((long) BAR * done / Math.max(1, all));
    err.printf(
        Locale.ROOT, "\r[%s%s] %d of %d", "#".repeat(filled), " ".repeat(BAR - filled), done, all);
    if (done == all) {
      err.println();
    }
    err.flush();
  }
}
