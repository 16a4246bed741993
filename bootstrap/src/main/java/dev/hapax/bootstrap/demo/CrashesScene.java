package dev.hapax.bootstrap.demo;

import java.io.IOException;

/** Scenes 5 and 6: a service is killed, and another one is frozen past its lease. */
record CrashesScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {

  void killed() throws IOException, InterruptedException {
    var request = OrderRequest.number(5);
    var victim = stage.oldest();
    screen.heading("5. The service is killed during a request");
    screen.say(
        """
        It holds the key and is about to charge when it gets SIGKILL. The key stays held until
        its lease of 2 s expires; then a retry acquires it. (After a kill right behind the charge,
        only the provider knows of it: see docs/guarantees.md.)""");
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var call = callers.start(victim, request);
    hold.awaitArrival();
    stage.kill(victim);
    callers.show("Cem", victim, request, OrderCallers.await(call));
    var other = stage.newest();
    callers.askUntilDone("Cem, again", other, request);
    callers.ask("Cem, again", other, request);
    screen.result(stage.ledger(), request.order());
  }

  void frozen() throws Exception {
    var request = OrderRequest.number(6);
    var zombie = stage.oldest();
    screen.heading("6. The service is frozen past its lease");
    screen.say(
        """
        When it continues, about to charge, another service has acquired the key and charged.
        Its fence, a number that rises with every claim, is now too low: the payment provider
        rejects the charge, and Hapax returns the stored response.""");
    var winner = screen.step("starting another order service", stage::startService);
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var call = callers.start(zombie, request);
    hold.awaitArrival();
    zombie.freeze();
    screen.event(zombie.name() + " is frozen (SIGSTOP); Dea waits for its response");
    callers.askUntilDone("Dea's phone", winner, request);
    hold.release();
    zombie.thaw();
    screen.event(zombie.name() + " continues (SIGCONT)");
    callers.show("Dea", zombie, request, OrderCallers.await(call));
    screen.result(stage.ledger(), request.order());
  }
}
