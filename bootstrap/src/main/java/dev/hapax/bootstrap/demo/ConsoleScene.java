package dev.hapax.bootstrap.demo;

import dev.hapax.bootstrap.server.Termination;
import java.net.URI;
import java.util.Locale;

/** The console on what the scenes left, with a run that waits, until a stop is requested. */
record ConsoleScene(DemoEnvironment stage, DemoOutput screen, Termination termination) {
  private static final int ORDER = 6;

  /** Starts the run, prints its page, and waits for the stop. */
  void open(URI console) throws InterruptedException {
    var run = start(OrderRequest.number(ORDER));
    screen.heading("The console is open until you press Ctrl-C");
    screen.say("console                %s".formatted(console));
    screen.say("a run that waits       %sw/default/runs/%s".formatted(console, run));
    screen.space();
    screen.say(
        String.format(
            Locale.ROOT,
            """
        Open the run to see why it waits. Then press Signal there, with the type "%s":
        the worker charges order-%d. In another terminal:""",
            OrderWorker.CONFIRMED,
            ORDER));
    screen.say("hapax run explain %s --server %s".formatted(run, stage.address()));
    termination.await();
  }

  private String start(OrderRequest request) {
    return stage
        .hapax()
        .runs()
        .start(
            OrderWorker.CONFIRMED_ORDER,
            options -> options.key(request.key()).input(OrderWorker.json(request.order())))
        .run()
        .id();
  }
}
