package dev.hapax.client.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one after another on another executor. */
public final class SerialExecutor implements Executor {

  private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);

  private final Executor executor;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  public SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    try {
      executor.execute(this::drain);
    } catch (RejectedExecutionException refused) {
      synchronized (tasks) {
        tasks.clear();
        running = false;
      }
      throw refused;
    }
  }

  private void drain() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException thrown) {
        log.error("a callback threw", thrown);
      }
    }
  }

  private @Nullable Runnable next() {
    synchronized (tasks) {
      Runnable task = tasks.poll();
      running = task != null;
      return task;
    }
  }
}
