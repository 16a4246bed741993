package dev.hapax.bootstrap.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Definitions that need no worker: they wait for times and signals. */
@Tag("long")
class RunCommandsIT {
  private static final String NAP =
      """
      {"name": "nap", "version": "1", "steps": [{"name": "sleep", "timer": {"duration": "100ms"}}]}
      """;
  private static final String ASK =
      """
      {"name": "ask", "version": "1", "steps": [{"name": "ask", "signal": {"type": "approved"}}]}
      """;
  private static final String HURRY =
      """
      {"name": "hurry", "version": "1",
       "steps": [{"name": "ask", "signal": {"type": "approved", "timeout": "100ms"}}]}
      """;
  private static final String WORK =
      """
      {"name": "work", "version": "1", "steps": [{"name": "work", "task": {"queue": "unpolled"}}]}
      """;

  @TempDir private Path folder = Path.of("");
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();

  @BeforeEach
  void ownWorkspace() throws IOException {
    for (var definition : new String[] {NAP, ASK, HURRY, WORK}) {
      var file = Files.writeString(folder.resolve("definition.json"), definition);
      assertThat(operator.hapax("definition", "apply", file.toString()).code()).isZero();
    }
  }

  private Said run(String... arguments) {
    return operator.hapax("run", arguments);
  }

  private Run start(String... arguments) throws IOException {
    var all = Stream.concat(Stream.of("start", "--json"), Stream.of(arguments));
    var started = StartRunResponse.newBuilder();
    JsonFormat.parser().merge(run(all.toArray(String[]::new)).out(), started);
    return started.getRun();
  }

  private Run get(String id) throws IOException {
    var run = Run.newBuilder();
    JsonFormat.parser().merge(run("get", id, "--json").out(), run);
    return run.build();
  }

  @Test
  void startsOnceForAKey() throws IOException {
    var input = Files.writeString(folder.resolve("input.txt"), "{\"amount\": 30}");

    var first =
        run("start", "ask", "--version=1", "--input", "@" + input, "--key=k", "--label=a=b=c");
    assertThat(first.code()).isZero();
    assertThat(first.out())
        .containsPattern("definition +ask 1\n")
        .containsPattern("status +WAITING\n")
        .containsPattern("labels +a=b=c\n")
        .containsPattern("input +\\{\"amount\": 30}\n");

    var second =
        run("start", "ask", "--version=1", "--input", "@" + input, "--key=k", "--label=a=b=c");
    assertThat(second.out()).startsWith("already started with this key; current state:\n");

    var other = run("start", "ask", "--version=1", "--key=k");
    assertThat(other.code()).isEqualTo(1);
    assertThat(other.err()).startsWith("hapax: ").hasLineCount(1);
  }

  @Test
  void restartsWhatFailed() throws IOException {
    var first = start("ask", "--key=k", "--input=1").getId();
    String[] corrected = {
      "start", "ask", "--key=k", "--input=2", "--on-key-mismatch=restart-failed"
    };
    assertThat(run(corrected).err()).contains(first);
    assertThat(
            run("start", "ask", "--key=k", "--input=2", "--on-key-mismatch=return-existing").out())
        .contains(first);
    assertThat(run("cancel", first).code()).isZero();

    assertThat(run(corrected).out())
        .startsWith("restarted " + first + " with this request\n")
        .containsPattern("input +2\n");

    assertThat(run(corrected).out()).startsWith("already started with this key");
    assertThat(run("events", first).lines().getLast()).contains("which took the idempotency key");
    assertThat(run("retry", first).err()).contains(get(first).getSupersededBy());
    assertThat(run("start", "ask", "--on-key-mismatch=perhaps").code()).isEqualTo(2);
  }

  @Test
  void startsLater() throws IOException {
    assertThat(start("nap", "--start-at=1h").getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
  }

  @Test
  void saysHowItEnded() throws IOException {
    var completed = run("start", "nap", "--await");
    assertThat(completed.code()).isZero();
    assertThat(completed.out()).startsWith("started run_").containsPattern("status +COMPLETED\n");

    var failed = run("start", "hurry", "--await");
    assertThat(failed.code()).isEqualTo(4);
    assertThat(failed.out()).containsPattern("failure +SIGNAL_TIMEOUT");
    assertThat(run("list", "--status=failed").lines().getLast())
        .containsPattern("FAILED +ask +\\S+ +SIGNAL_TIMEOUT +-");

    var asked = start("ask").getId();
    assertThat(run("await", asked, "--timeout=1ms").code()).isEqualTo(6);
    assertThat(run("cancel", asked, "--reason=no longer needed").code()).isZero();
    assertThat(run("await", asked).code()).isEqualTo(5);
  }

  @Test
  void watchesToTheEnd() throws IOException {
    var nap = start("nap").getId();

    var watched = run("watch", nap);

    assertThat(watched.code()).isZero();
    assertThat(watched.lines()).hasSize(5);
    assertThat(watched.lines().getFirst()).contains("   1  run created from nap 1");
    assertThat(watched.lines().get(2)).contains("   3  sleep waits until ");
    assertThat(watched.lines().getLast()).endsWith("   5  run COMPLETED");
    assertThat(run("watch", nap, "--after=4").lines()).hasSize(1);
    assertThat(run("events", nap).out()).isEqualTo(watched.out());
    assertThat(run("events", nap, "--json", "--after=3").lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("{\"version\":"));
  }

  @Test
  void listsStepsAndExplains() throws IOException {
    var work = start("work").getId();

    var steps = run("steps", work).lines();
    assertThat(steps).hasSize(2);
    assertThat(steps.getFirst()).startsWith("STEP").endsWith("RESULT");
    assertThat(steps.getLast())
        .startsWith("work")
        .contains("PENDING", "unpolled", "waiting for a worker");
    assertThat(run("explain", work).out()).contains("queue \"unpolled\"");
    assertThat(run("explain", work, "--json").out()).contains("EXPLAIN_REASON_NO_WORKER");

    var ask = start("ask").getId();
    assertThat(run("steps", ask).out()).contains("waits for signal approved");
  }

  @Test
  void signals() throws IOException {
    var ask = start("ask").getId();
    var signal = new String[] {"signal", ask, "--type=approved", "--payload=1", "--signal-id=s"};

    assertThat(run("signal", ask, "--type=other").out()).startsWith("buffered");
    assertThat(run(signal).out()).startsWith("delivered");
    assertThat(run(signal).out()).startsWith("duplicate");
    assertThat(get(ask).getOutput().getJson()).isEqualTo("1");

    var late = run("signal", ask, "--type=approved");
    assertThat(late.code()).isEqualTo(1);
    assertThat(late.err()).contains("COMPLETED");
  }

  @Test
  void pausesAndResumes() throws IOException {
    var ask = start("ask").getId();

    assertThat(run("pause", ask, "--reason=lunch").out()).containsPattern("status +PAUSED\n");
    assertThat(run("resume", ask, "--expected-version=1").code()).isEqualTo(1);
    assertThat(run("resume", ask).code()).isZero();
    assertThat(get(ask).getStatus()).isNotEqualTo(RunStatus.RUN_STATUS_PAUSED);
    assertThat(run("events", ask).out()).contains("run paused: lunch, by ");
  }

  @Test
  void retries() throws IOException {
    var hurry = start("hurry").getId();
    assertThat(run("await", hurry).code()).isEqualTo(4);

    assertThat(run("retry", hurry, "--request-id=r").code()).isZero();
    assertThat(run("await", hurry).code()).isEqualTo(4);
    var version = get(hurry).getVersion();
    assertThat(run("retry", hurry, "--request-id=r").code()).isZero();
    assertThat(get(hurry).getVersion()).isEqualTo(version);
  }

  @Test
  @DisplayName(
      "given several ids with an ended run, when they are cancelled, then the others are cancelled")
  void cancelsSeveral() throws IOException {
    var first = start("ask").getId();
    var second = start("ask").getId();
    var done = start("nap").getId();
    assertThat(run("await", done).code()).isZero();

    var said = run("cancel", first, done, second, first, "--reason=wrong");

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out()).isEqualTo("cancelled 2 of 3 runs\n");
    assertThat(said.err())
        .startsWith("hapax: " + done + ": ")
        .contains("COMPLETED")
        .hasLineCount(1);
    assertThat(get(second).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(run("cancel", first, second, "--json").lines())
        .hasSize(2)
        .allMatch(line -> line.contains("RUN_STATUS_CANCELLED"));
  }

  @Test
  @DisplayName("given a selection, when it is controlled, then all that match are, in pages")
  void controlsAll() throws IOException {
    for (int i = 0; i < 205; i++) {
      assertThat(run("start", "ask", "--label=batch=7").code()).isZero();
    }
    var other = start("ask").getId();

    var unconfirmed = run("pause", "--all", "--label=batch=7");
    assertThat(unconfirmed.code()).isEqualTo(2);
    assertThat(unconfirmed.err())
        .startsWith(
            "hapax: this would pause 205 runs; add --yes to confirm, since there is no terminal");

    var paused = run("pause", "--all", "--label=batch=7", "--definition=ask", "--yes");
    assertThat(paused.code()).isZero();
    assertThat(paused.out()).isEqualTo("paused 205 of 205 runs\n");
    assertThat(paused.err().lines()).containsExactly("100 of 205", "200 of 205", "205 of 205");
    assertThat(get(other).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    assertThat(run("pause", "--all", "--label=batch=7", "--yes").out())
        .as("changed runs are not changed again")
        .isEqualTo("paused 0 of 0 runs\n");
    assertThat(run("cancel", "--all", "--status=RUN_STATUS_PAUSED", "--yes").out())
        .isEqualTo("cancelled 205 of 205 runs\n");
    assertThat(run("list", "--status=waiting", "--json").lines()).hasSize(1);
  }

  @Test
  @DisplayName("given an ambiguous selection, then no run is changed")
  void refusesAmbiguousSelections() {
    for (var arguments :
        List.of(
            List.of("cancel"),
            List.of("cancel", "--status=waiting"),
            List.of("cancel", "run_x", "--all"),
            List.of("retry", "--all", "--status=completed", "--yes"),
            List.of("pause", "run_x", "run_y", "--expected-version=3"))) {
      var said = run(arguments.toArray(String[]::new));
      assertThat(said.code()).as("%s", arguments).isEqualTo(2);
      assertThat(said.err()).as("%s", arguments).startsWith("hapax: ").contains("Use `hapax run ");
    }
    assertThat(run("retry", "--all", "--status=completed", "--yes").err())
        .contains("runs in status COMPLETED cannot be retried (only those in FAILED)");
  }

  @Test
  @DisplayName("given a server that goes away, when many are controlled, then it is one message")
  void tellsOnceThatTheServerIsAway() {
    var said = run("cancel", "run_x", "run_y", "--server=127.0.0.1:1");

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err())
        .startsWith("hapax: cannot connect to a hapax server at 127.0.0.1:1")
        .hasLineCount(1);
  }

  @Test
  @DisplayName("given a command of several calls, then it opens one connection")
  void opensOneConnection() throws IOException {
    try (var relay = new Relay(operator.address())) {
      var server = "--server=" + relay.address();

      assertThat(run("start", "nap", "--await", server).code()).isZero();
      assertThat(relay.connections()).isEqualTo(1);
      assertThat(run("start", "ask", "--label=relay=1", server).code()).isZero();
      assertThat(run("cancel", "--all", "--label=relay=1", "--yes", server).code()).isZero();
      assertThat(relay.connections()).isEqualTo(3);
    }
  }

  @Test
  void listsWhatWasAskedFor() throws IOException {
    var ask = start("ask", "--label=shop=1", "--label=till=2").getId();
    var work = start("work", "--label=shop=1").getId();

    assertThat(run("list").lines()).hasSize(3);
    assertThat(run("list").lines().getFirst()).startsWith("RUN").endsWith("SUPERSESSION");
    assertThat(run("list").lines().get(1)).startsWith(work).containsPattern(" shop=1 +-$");
    assertThat(run("list", "--status=waiting").out()).contains(ask).doesNotContain(work);
    assertThat(run("list", "--status=RUN_STATUS_WAITING").out()).contains(ask).doesNotContain(work);
    assertThat(run("list", "--status=awake").err())
        .contains("'awake' is not one of PENDING, RUNNING, WAITING, PAUSED, COMPLETED,");
    assertThat(run("list", "--definition=work").out()).contains(work).doesNotContain(ask);
    assertThat(run("list", "--status=waiting", "--status=failed", "--status=pending").out())
        .contains(ask, work);
    assertThat(run("list", "--definition=work", "--definition=ask").lines()).hasSize(3);
    assertThat(run("list", "--failure-code=DECLINED").err()).isEqualTo("hapax: no runs\n");
    assertThat(run("list", "--ended-since=1h", "--ended-before=1h").err())
        .isEqualTo("hapax: no runs\n");
    assertThat(run("list", "--full", "--json").out()).contains("\"input\"");
    assertThat(run("list", "--json").out()).doesNotContain("\"input\"");
    assertThat(run("list", "--label=shop=1", "--label=till=2").lines()).hasSize(2);
    assertThat(run("list", "--since=1h", "--json").lines()).hasSize(2);
    assertThat(run("list", "--since=2100-01-01T00:00:00Z").err()).isEqualTo("hapax: no runs\n");

    var one = run("list", "--limit=1");
    assertThat(one.lines()).hasSize(2);
    assertThat(one.err()).contains("there are more");
  }

  @Test
  void saysThatThereIsNone() {
    var none = "run_01h455vb4pex5vsknk084sn02q";
    for (var verb : new String[] {"get", "watch", "await", "explain", "steps", "events"}) {
      var said = run(verb, none);
      assertThat(said.code()).as(verb).isEqualTo(3);
      assertThat(said.err()).as(verb).startsWith("hapax: ").hasLineCount(1);
      assertThat(said.out()).as(verb).isEmpty();
    }
    assertThat(run("start", "none").code()).isEqualTo(3);
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThat(run("start", "nap", "--input=@nowhere").err())
        .contains("the file nowhere does not exist");
    assertThat(run("start", "nap", "--input={").code()).isEqualTo(2);
    assertThat(run("start", "nap", "--label=a").code()).isEqualTo(2);
    assertThat(run("start", "nap", "--start-at=soon").code()).isEqualTo(2);
    assertThat(run("get", "nonsense").code()).isEqualTo(3);
    assertThat(run("list", "--limit=0").code()).isEqualTo(2);
  }

  @Test
  void saysHowToRetryWithoutAServer() {
    assertThat(run("start", "nap", "--server=127.0.0.1:1").err()).contains("with --key ");
    assertThat(run("signal", "run_x", "--server=127.0.0.1:1").err()).contains("with --signal-id ");
    assertThat(run("retry", "run_x", "--server=127.0.0.1:1").err()).contains("with --request-id ");
  }
}
