package dev.hapax.bootstrap.demo;

import java.util.LinkedHashMap;
import java.util.List;

/** Scenes 1 to 4: retried, concurrent, changed and failed requests. */
record DuplicatesScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {
  private static final int MANY = 20;

  void retry() throws Exception {
    var request = OrderRequest.number(1);
    screen.heading("1. The response is lost, so the caller retries");
    screen.say("Ann does not know whether her order succeeded. She sends it three more times.");
    screen.tableHead();
    callers.ask("Ann", stage.oldest(), request);
    callers.ask("Ann, again", stage.newest(), request);
    callers.ask("Ann, again", stage.oldest(), request);
    callers.ask("Ann, again", stage.newest(), request);
    result(request);
  }

  void together() throws Exception {
    var request = OrderRequest.number(2);
    screen.heading("2. " + MANY + " copies of one request arrive concurrently");
    screen.say(
        "One acquires the key; the others are rejected as duplicates in progress, and retry later.");
    screen.tableHead();
    var hold = stage.payments().hold(request.order().id());
    var first = callers.start(stage.oldest(), request);
    hold.awaitArrival();
    both("copies", request);
    hold.release();
    callers.show("the first", stage.oldest(), request, OrderCallers.await(first));
    both("again", request);
    result(request);
  }

  private void both(String who, OrderRequest request) throws InterruptedException {
    var count = new LinkedHashMap<Class<?>, Integer>();
    var answers = callers.askTogether(MANY - 1, List.of(stage.oldest(), stage.newest()), request);
    answers.forEach(answer -> count.merge(answer.getClass(), 1, Integer::sum));
    count.forEach(
        (kind, times) ->
            screen.row(
                times + " " + who,
                request + " to both",
                answers.stream().filter(kind::isInstance).findFirst().orElseThrow()));
  }

  void otherAmount() throws Exception {
    var request = OrderRequest.number(3);
    screen.heading("3. The same key with another amount");
    screen.say("A key identifies one request. Hapax rejects it for a request with other content.");
    screen.tableHead();
    callers.ask("Bob", stage.oldest(), request);
    callers.ask("Bob", stage.newest(), request.withEuros(2000));
    result(request);
  }

  void declined() throws Exception {
    var request = OrderRequest.number(4);
    screen.heading("4. The card is declined");
    screen.say("A failure releases the key: Bob puts money in his account and retries.");
    screen.tableHead();
    stage.ledger().declineOnce(request.order().id());
    callers.ask("Bob", stage.oldest(), request);
    callers.ask("Bob, again", stage.newest(), request);
    callers.ask("Bob, again", stage.oldest(), request);
    result(request);
  }

  private void result(OrderRequest request) {
    screen.result(stage.ledger(), request.order());
  }
}
