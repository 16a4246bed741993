package dev.hapax.bootstrap.demo;

import java.io.IOException;

/** Scenes 1 and 2: a request is repeated, and a service is frozen past its lease. */
record OperationScenes(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {

  void retried() throws InterruptedException {
    var request = OrderRequest.number(1);
    screen.heading("1. The response is lost, so the caller retries");
    screen.say("Ann does not know whether her order succeeded. She sends it three more times.");
    screen.tableHead();
    callers.ask("Ann", stage.firstService(), request);
    callers.ask("Ann, again", stage.secondService(), request);
    callers.ask("Ann, again", stage.firstService(), request);
    callers.ask("Ann, again", stage.secondService(), request);
    screen.result(stage.ledger(), request.order());
  }

  void frozen() throws IOException, InterruptedException {
    var request = OrderRequest.number(2);
    var zombie = stage.firstService();
    screen.heading("2. The service is frozen past its lease");
    screen.say(
        """
        It holds the key and is about to charge. Its lease of 2 s expires, and a retry acquires
        the key and charges. When it continues, its fence, a number that rises with every claim,
        is too low: the payment provider rejects the charge, and Hapax returns the stored
        response.""");
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var call = callers.start(zombie, request);
    hold.awaitArrival();
    zombie.freeze();
    screen.event(zombie.name() + " is frozen (SIGSTOP); Dea waits for its response");
    callers.askUntilDone("Dea's phone", stage.secondService(), request);
    hold.release();
    zombie.thaw();
    screen.event(zombie.name() + " continues (SIGCONT)");
    callers.show("Dea", zombie, request, OrderCallers.await(call));
    screen.result(stage.ledger(), request.order());
  }
}
