package dev.hapax.bootstrap.demo;

import java.util.LinkedHashMap;
import java.util.List;

/** What goes wrong every day: requests that come twice, at once, changed, or fail. */
record DuplicatesScene(DemoEnvironment stage, DemoOutput screen, OrderCallers callers) {
  private static final int MANY = 20;

  void retry() throws Exception {
    var request = OrderRequest.number(1);
    screen.heading("1. The answer gets lost, so the caller asks again");
    screen.say("Ann does not know whether her order went through. She sends it three times more.");
    screen.tableHead();
    callers.ask("Ann", stage.oldest(), request);
    callers.ask("Ann, again", stage.newest(), request);
    callers.ask("Ann, again", stage.oldest(), request);
    callers.ask("Ann, again", stage.newest(), request);
    result(request);
  }

  void together() throws Exception {
    var request = OrderRequest.number(2);
    screen.heading("2. " + MANY + " copies of one request arrive at the same time");
    screen.say("One of them gets to work; the others are told so, and come back later.");
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
    screen.say("A key stands for one request. It cannot be used for a second one by mistake.");
    screen.tableHead();
    callers.ask("Bob", stage.oldest(), request);
    callers.ask("Bob", stage.newest(), request.withEuros(2000));
    result(request);
  }

  void declined() throws Exception {
    var request = OrderRequest.number(4);
    screen.heading("4. The card is declined");
    screen.say("A failure frees the key: Bob puts money in his account and sends the same again.");
    screen.tableHead();
    stage.book().declineOnce(request.order().id());
    callers.ask("Bob", stage.oldest(), request);
    callers.ask("Bob, again", stage.newest(), request);
    callers.ask("Bob, again", stage.oldest(), request);
    result(request);
  }

  private void result(OrderRequest request) {
    screen.result(stage.book(), request.order());
  }
}
