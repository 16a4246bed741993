package dev.hapax.bootstrap.demo;

import dev.hapax.client.Codec;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.run.RunRequest;
import java.util.Map;

/** What goes wrong in work of several steps: one worker dies, and another goes on. */
record HandoverScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {

  /** Returns how often the result of each step was stored. */
  Map<String, Integer> killed() throws Exception {
    var order = OrderRequest.number(7).order();
    screen.heading("7. An order takes three steps, and its worker is killed in the middle");
    screen.say(
        """
        A run reserves, charges and ships; whichever worker asks first does the next step. One is
        about to charge when it gets SIGKILL. When its lease, 2 s, is over, the other one charges
        under a higher fence. What was stored before stays, and what comes late is refused.""");
    screen.step("starting two workers", stage::startWorkers);
    HapaxClient.on(stage.hapax()).definitions().register(OrderWorker.definition());
    screen.tableHead("who", "did", "saw");
    var first = stage.payments().hold(order.id());
    start("Eve");
    var run = start("Eve, again");

    var dying = first.awaitArrival();
    var claim = stage.worker(dying.service()).line("claim ");
    run.tell();
    var second = stage.payments().hold(order.id());
    stage.worker(dying.service()).kill();
    screen.event(dying.service() + " is killed (SIGKILL)");

    second.awaitArrival();
    run.tell();
    screen.event("a completion that " + dying.service() + " sent before it died arrives only now");
    run.completeLate(dying.service(), claim, dying.fence());
    second.release();

    run.awaitEnd();
    run.tell();
    screen.result(stage.book(), order, run.stored());
    return run.stored();
  }

  private OrderRun start(String caller) {
    var request = OrderRequest.number(7);
    callers.sent(request);
    var started =
        HapaxClient.on(stage.hapax())
            .runs()
            .start(
                RunRequest.of(OrderWorker.ORDER)
                    .withKey(request.key())
                    .withInput(Codec.json(), OrderWorker.json(request.order())));
    var id = started.getRun().getId();
    screen.row(caller, "starts " + request, id + (started.getCreated() ? "" : ", the same run"));
    return new OrderRun(stage.hapax(), screen, id);
  }
}
