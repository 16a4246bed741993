package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.server.Termination;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** All scenes, from the first process started to the last one gone. */
public final class Demo {
  private static final Duration LAST_STEP = Duration.ofSeconds(20);

  private final DemoOutput screen;
  private final Termination termination;

  public Demo(PrintWriter out, boolean colours, Termination termination) {
    this.screen = new DemoOutput(out, colours);
    this.termination = termination;
  }

  /**
   * Plays it.
   *
   * @return whether every order was charged exactly once
   * @throws CancellationException if it was told to stop
   */
  public boolean play() throws Exception {
    screen.heading("Hapax: makes sure a thing happens once");
    screen.say(
        """
        An order service charges credit cards. Requests come twice, at once, and to services that
        die. Each carries an idempotency key, and Hapax sees that each key is charged once.""");
    screen.space();
    var stage = DemoEnvironment.open(screen);
    DemoSummary summary;
    try {
      summary = scenes(stage);
    } finally {
      screen.heading("The end");
      screen.step(
          "stopping everything, deleting its folder",
          () -> {
            stage.close();
            return stage;
          });
    }
    var proven = summary.show(screen);
    if (proven) {
      screen.heading("Next");
      screen.say("hapax serve            runs a server, with a PostgreSQL of its own");
      screen.say("hapax operation list   shows, in another terminal, what it was asked to do once");
      screen.say("hapax run list         shows the runs; hapax run watch ID follows one");
      screen.say("hapax hook get TOKEN   says which run owns a token");
      screen.say("hapax claim list       shows who acts on what, and what is stuck");
    }
    return proven;
  }

  /** On a thread of its own, so that Ctrl-C can interrupt the scene and never the cleaning up. */
  private DemoSummary scenes(DemoEnvironment stage) throws Exception {
    var scenes = new FutureTask<>(() -> playAll(stage));
    var stagehand = Thread.ofVirtual().name("scenes").start(scenes);
    Thread.ofVirtual()
        .name("stop")
        .start(
            () -> {
              try {
                termination.await();
                scenes.cancel(true);
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            });
    try {
      return scenes.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      // what it is just starting is to be closed too
      stagehand.join(LAST_STEP);
    }
  }

  private DemoSummary playAll(DemoEnvironment stage) throws Exception {
    var callers = new OrderCallers(screen);
    var duplicates = new DuplicatesScene(stage, screen, callers);
    duplicates.retry();
    duplicates.together();
    duplicates.otherAmount();
    duplicates.declined();
    var crashes = new CrashesScene(stage, screen, callers);
    crashes.killed();
    crashes.frozen();
    var stored = new HandoverScene(stage, screen, callers).killed();
    int owners = new SameOrderScene(stage, screen, callers).triggered();
    int receipts = new ClerksScene(stage, screen, callers).claimed();
    var book = stage.book();
    return new DemoSummary(
        callers.orders(),
        callers.requests(),
        book.runs(),
        book.charges(),
        stored,
        owners,
        receipts);
  }
}
