package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each verb of the console on a server, and its effect as gRPC shows it. */
@Tag("long")
class ConsoleVerbsIT {
  private static final String REASON = "checked by hand";
  private static final Map<String, String> WITH_REASON = Map.of("reason", REASON);
  private static final Pattern CHANGED = Pattern.compile("<b>(\\d+)</b> of (\\d+) runs changed");
  private static final int MANY = 20;

  private static final Map<String, HttpVisitor> VISITORS = new HashMap<>();

  private static ConsoleServer hapax;
  private static RunCaller runs;
  private static ClaimCaller claims;

  @BeforeAll
  static void start() {
    hapax = new ConsoleServer();
    runs = new RunCaller(hapax.admin());
    claims = new ClaimCaller(runs);
    claims.declare(ClaimCaller.contract());
    var _ = claims.apply(ClaimCaller.BILLING);
    runs.define("order", RunCaller.task("charge"));
    runs.define("approval", RunCaller.signal("approval", "go"));
    runs.define("many", RunCaller.signal("approval", "go"));
  }

  @AfterAll
  static void stop() {
    assertThat(hapax.server().errors())
        .noneMatch(line -> line.contains(" ERROR ") || line.startsWith("\tat "));
    hapax.close();
  }

  private static HttpVisitor visitor(String role) {
    return VISITORS.computeIfAbsent(role, hapax::visitor);
  }

  /** Confirms a verb, and returns the page that the browser is sent to. */
  private static String perform(String role, String path, Map<String, String> fields) {
    var answer = visitor(role).submit(path, fields);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    return visitor(role).get(answer.headers().firstValue("Location").orElseThrow()).body();
  }

  private static void perform(String run, String verb) {
    assertThat(perform("operator", hapax.page("runs/" + run + "/" + verb), WITH_REASON))
        .contains(run);
  }

  private static RunStatus status(String run) {
    return runs.get(run).getStatus();
  }

  private static void assertLast(String run, RunEventType type) {
    assertThat(runs.events(run))
        .filteredOn(event -> event.getType() == type)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getActor()).isEqualTo("console");
              assertThat(event.getPrincipal()).isEqualTo("api-key:operator");
              assertThat(event.toString()).contains(REASON);
            });
  }

  @Test
  @DisplayName(
      "given runs, when an operator pauses, resumes, retries and cancels them, then the server has"
          + " done so, and the histories name the operator and the reason [W6]")
  void runs() {
    var run = runs.started("approval");
    perform(run, "pause");
    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_PAUSED);
    assertLast(run, RunEventType.RUN_EVENT_TYPE_PAUSED);
    perform(run, "resume");
    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertLast(run, RunEventType.RUN_EVENT_TYPE_RESUMED);
    perform(run, "cancel");
    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertLast(run, RunEventType.RUN_EVENT_TYPE_CANCELLED);

    var failed = failed();
    perform(failed, "retry");
    assertLast(failed, RunEventType.RUN_EVENT_TYPE_RETRIED);
    var again = runs.poll("worker");
    assertThat(again.getRun().getId()).isEqualTo(failed);
    assertThat(runs.complete(again.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(runs.awaitEnd(failed).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  private static String failed() {
    var run = runs.started("order");
    var task = runs.poll("worker");
    assertThat(task.getRun().getId()).isEqualTo(run);
    var _ =
        runs.worker()
            .failTask(runs.failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL).build());
    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    return run;
  }

  @Test
  @DisplayName(
      "given runs that wait, when an application signals one, and another one by its token, then"
          + " each gets its payload and goes on [W6]")
  void signals() {
    var fields = Map.of("type", "go", "payload", "{\"n\":9223372036854775807}");
    var run = runs.started("approval");
    var _ = perform("application", hapax.page("runs/" + run + "/signal"), fields);
    assertSignalled(run);

    var owner =
        runs.send(
                runs.start("approval")
                    .addHooks(
                        StartRunRequest.Hook.newBuilder()
                            .setToken("order/17")
                            .setOnConflict(OnConflict.ON_CONFLICT_REJECT)))
            .getRun()
            .getId();
    var page = visitor("application").submit(hapax.page("hooks"), Map.of("token", "order/17"));
    assertThat(page.body()).contains(owner, hapax.page("hooks/signal"));
    var withToken = new HashMap<>(fields);
    withToken.put("token", "order/17");
    withToken.put("once", "signal-1");
    var sent =
        visitor("application").submit(hapax.page("hooks"), hapax.page("hooks/signal"), withToken);
    assertThat(sent.body()).contains("a step waited for it");
    assertSignalled(owner);
  }

  private static void assertSignalled(String run) {
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(runs.events(run))
        .filteredOn(RunEvent::hasSignalReceived)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getPrincipal()).isEqualTo("api-key:application");
              assertThat(event.getSignalReceived().getSignal().getPayload().getJson())
                  .contains("9223372036854775807");
            });
  }

  @Test
  @DisplayName(
      "given operations whose outcome is unknown, when an operator completes, rejects and releases"
          + " them, then duplicates get what the form said [W6]")
  void operations() {
    resolve("done", "/complete", Map.of("result", "{\"paid\":true}"));
    var completed = hapax.admin().get("done");
    assertThat(completed.getState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    assertThat(completed.getResult()).isEqualTo(Caller.json("{\"paid\":true}"));

    resolve("never", "/reject", Map.of("code", "CARD_DECLINED", "message", "no money"));
    var rejected = hapax.admin().get("never");
    assertThat(rejected.getState()).isEqualTo(OperationState.OPERATION_STATE_REJECTED);
    assertThat(rejected.getFailure().getCode()).isEqualTo("CARD_DECLINED");

    resolve("again", "/release", Map.of());
    assertThat(hapax.admin().get("again").getState())
        .isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(hapax.admin().acquire("again").getFence()).isPositive();
    assertThat(Stream.of(completed, rejected))
        .extracting(Operation::toString)
        .allMatch(text -> text.contains(REASON) && text.contains("api-key:operator"));
  }

  private static void makeIndeterminate(String key) {
    var claim = hapax.admin().acquire(key);
    var _ = hapax.admin().fail(claim, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
  }

  /** The address of an operation, or of a verb for it. */
  private static String operation(String key, String verb) {
    var operation = hapax.admin().get(key);
    return hapax.page(
        "operations/one%s?operation=%s&request=%s&account=%s"
            .formatted(
                verb,
                URLEncoder.encode(operation.getOperation(), StandardCharsets.UTF_8),
                key,
                operation.getAccount()));
  }

  private static void resolve(String key, String verb, Map<String, String> fields) {
    makeIndeterminate(key);
    var all = new HashMap<>(fields);
    all.putAll(WITH_REASON);
    var _ = perform("operator", operation(key, verb), all);
  }

  @Test
  @DisplayName(
      "given claimed entities, when an operator releases them, one as done, then each has the"
          + " status that the page named [W6]")
  void releases() {
    release("back", "release");
    assertThat(claims.get("back").getStatus()).isEqualTo("approved");
    release("done", "release-as-done");
    assertThat(claims.get("done").getStatus()).isEqualTo("closed");
  }

  private static void release(String id, String verb) {
    var _ = claims.approved(id);
    var claim = claims.claimed(id);
    var _ = perform("operator", hapax.page("entities/billing/" + id + "/" + verb), WITH_REASON);
    assertThat(claims.get(id).hasClaim()).isFalse();
    assertThat(claims.complete(claim).hasClaimLost()).isTrue();
    assertThat(claims.events(id).getLast().toString()).contains(REASON, "api-key:operator");
  }

  @Test
  @Tag("turns-L9")
  @DisplayName(
      "given runs at a limit, when an operator sets its number and removes it, then the runs are"
          + " admitted, and the pages show limit, line and operator [W6]")
  void limits() {
    var limits = new LimitCaller(runs);
    runs.define("limited", LimitCaller.step("call", LimitCaller.limit(1)));
    var first = limits.start("limited", "acme").getId();
    var second = limits.start("limited", "acme").getId();
    assertThat(visitor("viewer").get(hapax.page("runs/" + second)).body())
        .contains("1 run of 1 at the step, it is first in line.")
        .contains("blocked at limit api of acme", "href=\"" + hapax.page("limits?name=api"));

    var of = "?name=api&key=acme";
    var fields = Map.of("max_running", "2", "reason", REASON);
    assertThat(visitor("operator").submit(hapax.page("limits/set" + of), Map.of()).statusCode())
        .as("without a number")
        .isEqualTo(400);
    assertThat(perform("operator", hapax.page("limits/set" + of), fields))
        .contains("console (api-key:operator)", REASON, hapax.page("limits/remove?name=api"));
    assertThat(limits.state("acme"))
        .matches(limit -> limit.getRunning() == 2 && limit.getSetting().getMaxRunning() == 2);
    assertThat(visitor("viewer").get(hapax.page("runs/" + second)).body())
        .contains("admitted after ");

    assertThat(perform("operator", hapax.page("limits/remove" + of), WITH_REASON))
        .doesNotContain(hapax.page("limits/remove"));
    assertThat(limits.state("acme").hasSetting()).isFalse();
    limits.work(first);
    limits.work(second);
  }

  @Test
  @DisplayName(
      "given an entity whose lease has expired, when an operator sweeps, then it is free [W6]")
  void sweep() {
    var _ = claims.approved("stale");
    var _ = claims.claimedShortly("stale");
    Condition.await(
        "the sweep frees it",
        () ->
            visitor("operator")
                .submit(hapax.page("janitors/" + ClaimCaller.MODULE + "/sweep"), WITH_REASON)
                .body()
                .contains("1 entity"));
    assertThat(claims.get("stale").getStatus()).isEqualTo("approved");
    assertThat(claims.get("stale").hasClaim()).isFalse();
    assertThat(claims.history("stale").getLast())
        .isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
  }

  @Test
  @DisplayName(
      "given a filter, when an operator pauses all runs that match, then the page counts them to the"
          + " end, and no other run is changed [W6]")
  void bulk() {
    var other = runs.started("approval");
    var matching = new ArrayList<String>();
    for (var run = 0; run < MANY; run++) {
      matching.add(runs.started("many"));
    }
    var path = hapax.page("bulk/pause?definition=many");

    var wrong = visitor("operator").submit(path, Map.of("count", "1", "reason", REASON));
    assertThat(wrong.body()).contains("Nothing was done");
    assertThat(matching)
        .extracting(ConsoleVerbsIT::status)
        .containsOnly(RunStatus.RUN_STATUS_WAITING);

    var confirmed = Map.of("count", Integer.toString(MANY), "reason", REASON);
    var started = visitor("operator").submit(path, confirmed);
    var job = started.headers().firstValue("Location").orElseThrow();
    var counts = new ArrayList<Integer>();
    Condition.await(
        "all are tried",
        () -> {
          var page = visitor("operator").get(job).body();
          CHANGED
              .matcher(page)
              .results()
              .forEach(
                  progress -> {
                    assertThat(progress.group(2)).isEqualTo(Integer.toString(MANY));
                    counts.add(Integer.valueOf(progress.group(1)));
                  });
          return page.contains("All runs have been tried.");
        });
    assertThat(counts).isSorted().endsWith(MANY);
    assertThat(matching)
        .extracting(ConsoleVerbsIT::status)
        .containsOnly(RunStatus.RUN_STATUS_PAUSED);
    assertThat(status(other)).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertThat(visitor("admin").get(job).statusCode()).as("another principal").isEqualTo(404);
  }

  @Test
  @DisplayName(
      "given a key of each role, when it opens the pages, then they offer what the role may do, and"
          + " the server refuses the rest also when it is sent by hand [W3]")
  void roles() {
    var run = runs.started("approval");
    var _ = claims.approved("held");
    var _ = claims.claimed("held");
    makeIndeterminate("unknown");
    var operate = new ArrayList<Offer>();
    for (var verb : List.of("pause", "cancel")) {
      operate.add(new Offer(hapax.page("runs/" + run), hapax.page("runs/" + run + "/" + verb)));
    }
    for (var verb : List.of("complete", "reject", "release")) {
      operate.add(new Offer(operation("unknown", ""), operation("unknown", "/" + verb)));
    }
    for (var verb : List.of("release", "release-as-done")) {
      var entity = hapax.page("entities/billing/held");
      operate.add(new Offer(entity, entity + "/" + verb));
    }
    var janitor = hapax.page("janitors/" + ClaimCaller.MODULE);
    operate.add(new Offer(janitor, janitor + "/sweep"));
    operate.add(new Offer(hapax.page("limits"), hapax.page("limits/set")));
    var call = List.of(new Offer(hapax.page("runs/" + run), hapax.page("runs/" + run + "/signal")));

    for (var role : List.of("viewer", "deployer", "application", "worker")) {
      assertThat(operate).allSatisfy(offer -> assertDenied(role, offer));
    }
    for (var role : List.of("viewer", "deployer", "operator")) {
      assertThat(call).allSatisfy(offer -> assertDenied(role, offer));
    }
    for (var role : List.of("operator", "admin")) {
      assertThat(operate).allSatisfy(offer -> assertThat(isShown(role, offer)).isTrue());
    }
    for (var role : List.of("application", "worker", "admin")) {
      assertThat(call).allSatisfy(offer -> assertThat(isShown(role, offer)).isTrue());
    }

    assertThat(status(run)).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertThat(runs.events(run)).noneMatch(RunEvent::hasSignalReceived);
    assertThat(claims.get("held").hasClaim()).isTrue();
    assertThat(hapax.admin().get("unknown").getState())
        .isEqualTo(OperationState.OPERATION_STATE_INDETERMINATE);
  }

  /** A page, and the address of a verb that it offers to those who may use it. */
  private record Offer(String page, String verb) {}

  private static boolean isShown(String role, Offer offer) {
    var page = visitor(role).get(offer.page());
    assertThat(page.statusCode()).as(offer.page()).isEqualTo(200);
    return page.body().contains("href=\"" + offer.verb().replace("&", "&amp;") + "\"");
  }

  private static void assertDenied(String role, Offer offer) {
    assertThat(isShown(role, offer)).as("%s sees %s", role, offer.verb()).isFalse();
    var fields = Map.of("reason", REASON, "code", "C", "message", "m");
    var answer = visitor(role).submit(offer.verb(), fields);
    assertThat(answer.statusCode()).as("%s sends %s", role, offer.verb()).isEqualTo(403);
    assertThat(answer.body()).contains("it needs the permission");
  }
}
