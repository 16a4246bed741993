package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signals to processes that Java cannot send itself. */
public final class Signals {
  private Signals() {}

  /** Sends the signal of that name, without SIG. */
  public static void send(String name, long pid) {
    try {
      int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill -" + name + " " + pid + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
