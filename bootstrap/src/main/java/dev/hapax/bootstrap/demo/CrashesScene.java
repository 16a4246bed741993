package dev.hapax.bootstrap.demo;

import java.io.IOException;

/** What goes wrong at night: a service that dies, and one that was only thought dead. */
record CrashesScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {

  void killed() throws IOException, InterruptedException {
    var request = OrderRequest.number(5);
    var victim = stage.oldest();
    screen.heading("5. The service is killed in the middle");
    screen.say(
        """
        It has the key and is about to charge when it gets SIGKILL. Nobody gives the key back:
        its lease, 2 s, has to end. Then the next one takes over. (Killed right after the charge,
        only the provider could know of it: docs/guarantees.md says what to do there.)""");
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var call = callers.start(victim, request);
    hold.awaitArrival();
    stage.kill(victim);
    callers.show("Cem", victim, request, OrderCallers.await(call));
    var other = stage.newest();
    callers.askUntilDone("Cem, again", other, request);
    callers.ask("Cem, again", other, request);
    screen.result(stage.book(), request.order());
  }

  void frozen() throws Exception {
    var request = OrderRequest.number(6);
    var zombie = stage.oldest();
    screen.heading("6. The service is frozen, and wakes up too late");
    screen.say(
        """
        Another one has taken over and charged when it comes back, still about to charge.
        Its fence, a number that rises with every claim, is too low now: the payment provider
        refuses the charge, and Hapax gives the late service the winner's answer.""");
    var winner = screen.step("starting another order service first", stage::startService);
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var call = callers.start(zombie, request);
    hold.awaitArrival();
    zombie.freeze();
    screen.event(zombie.name() + " is frozen (SIGSTOP); Dea still waits for it");
    callers.askUntilDone("Dea's phone", winner, request);
    hold.release();
    zombie.thaw();
    screen.event(zombie.name() + " goes on (SIGCONT)");
    callers.show("Dea", zombie, request, OrderCallers.await(call));
    screen.result(stage.book(), request.order());
  }
}
