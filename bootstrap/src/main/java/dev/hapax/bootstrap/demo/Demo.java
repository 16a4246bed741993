package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.server.Termination;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Plays all scenes. */
public final class Demo {
  private static final Duration LAST_STEP = Duration.ofSeconds(20);

  private final DemoOutput screen;
  private final Termination termination;
  private final boolean keep;

  /**
   * Makes a demo.
   *
   * @param keep whether the console stays open on the data of the demo until a stop is requested
   */
  public Demo(PrintWriter out, boolean colours, Termination termination, boolean keep) {
    this.screen = new DemoOutput(out, colours);
    this.termination = termination;
    this.keep = keep;
  }

  /**
   * Plays the demo.
   *
   * @return whether every order was charged exactly once
   * @throws CancellationException if a stop was requested
   */
  public boolean play() throws Exception {
    screen.heading("Hapax: each request takes effect once");
    screen.say(
        """
        An order service charges credit cards. Requests arrive twice, concurrently, and at services
        that crash. Hapax makes sure that each order is charged once.""");
    screen.space();
    var stage = DemoEnvironment.open(screen, keep);
    stage.console().ifPresent(console -> screen.say("console                " + console));
    boolean proven;
    try {
      proven = scenes(stage).show(screen);
      var console = stage.console();
      if (console.isPresent()) {
        new ConsoleScene(stage, screen, termination).open(console.get());
      }
    } finally {
      screen.heading("The end");
      screen.step(
          "stopping all processes, deleting the temporary folder",
          () -> {
            stage.close();
            return stage;
          });
    }
    if (proven && !keep) {
      screen.heading("Next");
      screen.say("hapax demo --keep      leaves the console open on the data of the demo");
      screen.say("hapax serve            runs a server with a built-in PostgreSQL");
      screen.say("hapax operation list   lists idempotency keys (in another terminal)");
      screen.say("hapax run list         lists runs; hapax run watch ID prints the events of one");
      screen.say("hapax hook get TOKEN   shows the run that owns a token");
      screen.say("hapax claim list       lists claims with their holder and lease");
    }
    return proven;
  }

  /** Plays the scenes on a thread of their own, so that Ctrl-C does not interrupt the cleanup. */
  private DemoSummary scenes(DemoEnvironment stage) throws Exception {
    var scenes = new FutureTask<>(() -> playAll(stage));
    var player = Thread.ofVirtual().name("scenes").start(scenes);
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
      // wait, so that a process that is being started is closed as well
      player.join(LAST_STEP);
    }
  }

  private DemoSummary playAll(DemoEnvironment stage) throws Exception {
    var callers = new OrderCallers(screen);
    var operations = new OperationScenes(stage, screen, callers);
    operations.retried();
    operations.frozen();
    var stored = new HandoverScene(stage, screen, callers).killed();
    int owners = new SameOrderScene(stage, screen, callers).triggered();
    int receipts = new ClerksScene(stage, screen, callers).claimed();
    var ledger = stage.ledger();
    return new DemoSummary(
        callers.orders(),
        callers.requests(),
        ledger.runs(),
        ledger.charges(),
        stored,
        owners,
        receipts);
  }
}
