package dev.hapax.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs each task on a thread of its own. The common pool has one thread on two cores, and a task
 * that waits there keeps all others waiting.
 */
final class OwnThread {

  private OwnThread() {}

  static CompletableFuture<Void> run(Runnable task) {
    return CompletableFuture.runAsync(task, OwnThread::start);
  }

  static <T> CompletableFuture<T> supply(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, OwnThread::start);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "test");
    thread.setDaemon(true);
    thread.start();
  }
}
