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
 * What a person sees and answers while a command works, if there is one.
 *
 * @param isInteractive whether a person is there; scripts get lines and are asked nothing
 */
public record Terminal(boolean isInteractive, Reader in, PrintWriter err) {
  private static final int BAR = 30;
  private static final Set<String> YES = Set.of("y", "yes");

  /** The one this process was started from. */
  public static Terminal ofProcess(PrintWriter err) {
    var console = Optional.ofNullable(System.console());
    return new Terminal(
        console.filter(Console::isTerminal).isPresent(),
        new InputStreamReader(System.in, Charset.defaultCharset()),
        err);
  }

  /** Asks a question; anything but yes is no. */
  public boolean confirms(String question) throws IOException {
    err.print(question + " [y/N] ");
    err.flush();
    var answer = new BufferedReader(in).readLine();
    return answer != null && YES.contains(answer.strip().toLowerCase(Locale.ROOT));
  }

  /** Shows how far it is: a bar that grows, or a line for each call of this. */
  public void progress(int done, int all) {
    if (!isInteractive) {
      err.println(done + " of " + all);
      return;
    }
    int filled = (int) ((long) BAR * done / Math.max(1, all));
    err.printf("\r[%s%s] %d of %d", "#".repeat(filled), " ".repeat(BAR - filled), done, all);
    if (done == all) {
      err.println();
    }
    err.flush();
  }
}
