package dev.hapax.bootstrap.demo;

import dev.hapax.client.Started;
import java.util.Map;

/** Scene 3: a worker is killed between the steps of a run, and another one continues. */
record HandoverScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {

  /** Plays the scene and returns how often the result of each step was stored. */
  Map<String, Integer> killed() throws Exception {
    var order = OrderRequest.number(3).order();
    screen.heading("3. A run has three steps, and its worker is killed in the second");
    screen.say(
        """
        A run reserves, charges and ships; workers poll for its steps. One worker is about to
        charge when it gets SIGKILL. When its lease of 2 s expires, the other worker charges with
        a higher fence. Stored results are kept, and the late completion is rejected.""");
    screen.step("starting two workers", stage::startWorkers);
    stage.hapax().definitions().register(OrderWorker.definition());
    screen.tableHead("who", "action", "result");
    var first = stage.payments().hold(order.id());
    start("Eve");
    var run = start("Eve, again");

    var dying = first.awaitArrival();
    var claim = stage.worker(dying.service()).line("claim ");
    run.printNewEvents();
    var second = stage.payments().hold(order.id());
    stage.worker(dying.service()).kill();
    screen.event(dying.service() + " is killed (SIGKILL)");

    second.awaitArrival();
    run.printNewEvents();
    screen.event("a delayed completion of " + dying.service() + " arrives now");
    run.completeLate(dying.service(), claim, dying.fence());
    second.release();

    run.awaitEnd();
    run.printNewEvents();
    screen.result(stage.ledger(), order, run.stored());
    return run.stored();
  }

  private OrderRun start(String caller) {
    var request = OrderRequest.number(3);
    callers.sent(request);
    var started =
        stage
            .hapax()
            .runs()
            .start(
                OrderWorker.ORDER,
                options -> options.key(request.key()).input(OrderWorker.json(request.order())));
    var id = started.run().id();
    var isSame = started instanceof Started.Existing;
    screen.row(caller, "starts " + request, id + (isSame ? ", the same run" : ""));
    return new OrderRun(stage.hapax(), screen, id);
  }
}
