package dev.hapax.client.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The default executor of handlers: virtual threads where the JVM has them, else a bounded pool.
 */
public final class HandlerThreads {

  private static final String NAME = "hapax-worker-";

  private HandlerThreads() {}

  /** Virtual threads, or before Java 21 a pool that grows as needed. */
  public static Executor unbounded() {
    return virtual().orElseGet(() -> refusing(Integer.MAX_VALUE));
  }

  /** A pool that refuses a task while it has this many. */
  public static Executor refusing(int most) {
    return new ThreadPoolExecutor(
        0, most, 2, TimeUnit.SECONDS, new SynchronousQueue<>(), SystemTiming.daemons(NAME));
  }

  public static Executor of(int concurrency) {
    return virtual().orElseGet(() -> bounded(concurrency));
  }

  /** Virtual threads, from Java 21 on. By reflection, as this library targets Java 17. */
  public static Optional<Executor> virtual() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
      Object named = type.getMethod("name", String.class, long.class).invoke(builder, NAME, 0L);
      Method factory = type.getMethod("factory");
      ThreadFactory threads = (ThreadFactory) factory.invoke(named);
      return Optional.of(task -> threads.newThread(task).start());
    } catch (NoSuchMethodException
        | ClassNotFoundException
        | IllegalAccessException
        | InvocationTargetException absent) {
      // an older JVM, or one of 19 and 20 without --enable-preview
      return Optional.empty();
    }
  }

  public static Executor bounded(int concurrency) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            concurrency,
            concurrency,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            SystemTiming.daemons(NAME));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
