package dev.hapax.client.internal;

import dev.hapax.client.Observer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An observer whose exceptions fail no call. */
public final class GuardedObserver implements Observer {

  private static final Logger log = LoggerFactory.getLogger(GuardedObserver.class);

  private final Observer observer;
  private final AtomicBoolean logged = new AtomicBoolean();

  private GuardedObserver(Observer observer) {
    this.observer = observer;
  }

  /** Guards this observer, once. */
  public static Observer of(Observer observer) {
    return observer.equals(NONE) || observer instanceof GuardedObserver
        ? observer
        : new GuardedObserver(observer);
  }

  @Override
  public void called(String method, CallKind kind, Duration duration) {
    guard(() -> observer.called(method, kind, duration));
  }

  @Override
  public void worked(String definition, String step, TaskKind kind, Duration duration) {
    guard(() -> observer.worked(definition, step, kind, duration));
  }

  @Override
  public void lost(HolderKind kind) {
    guard(() -> observer.lost(kind));
  }

  @Override
  public void slotsChanged(int busy, int free) {
    guard(() -> observer.slotsChanged(busy, free));
  }

  @Override
  public void served(HttpOutcome outcome, Duration duration) {
    guard(() -> observer.served(outcome, duration));
  }

  private void guard(Runnable event) {
    try {
      event.run();
      // an observer that was compiled for another version of its library, too
    } catch (RuntimeException | LinkageError | AssertionError thrown) {
      if (logged.compareAndSet(false, true)) {
        log.warn("the observer {} failed; its further failures are not logged", observer, thrown);
      }
    }
  }
}
