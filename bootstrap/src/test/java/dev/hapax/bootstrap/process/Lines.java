package dev.hapax.bootstrap.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The lines of a stream as they come. */
final class Lines {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  Lines(InputStream stream) {
    // who reads a pipe in a virtual thread keeps a processor from all others
    Thread.ofPlatform().daemon().start(() -> read(stream));
  }

  private void read(InputStream stream) {
    try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("<" + e.getMessage() + ">");
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized List<String> soFar() {
    return List.copyOf(lines);
  }

  synchronized void awaitEnd() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!ended) {
      await(deadline, "the stream did not end");
    }
  }

  /** Waits for a line, counting those that came before. */
  synchronized String await(Predicate<String> wanted, Supplier<String> story) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (int next = 0; ; next++) {
      while (next == lines.size()) {
        if (ended) {
          throw new AssertionError("it ended without the awaited line\n" + story.get());
        }
        await(deadline, "the awaited line did not come");
      }
      if (wanted.test(lines.get(next))) {
        return lines.get(next);
      }
    }
  }

  private void await(long deadline, String complaint) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new AssertionError(complaint + ": " + lines);
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
