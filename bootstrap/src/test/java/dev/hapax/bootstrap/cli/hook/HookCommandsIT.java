package dev.hapax.bootstrap.cli.hook;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.StartRunResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tokens at the command line: those of runs that need no worker, for they wait for signals. */
class HookCommandsIT {
  private static final String ASK =
      """
      {"name": "ask", "version": "1", "steps": [{"name": "ask", "signal": {"type": "approved"}}]}
      """;
  private static final String TOKEN = "order/4711";

  @TempDir private Path folder = Path.of("");
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();

  @BeforeEach
  void ownWorkspace() throws IOException {
    var file = Files.writeString(folder.resolve("definition.json"), ASK);
    assertThat(operator.hapax("definition", "apply", file.toString()).code()).isZero();
  }

  private Said hook(String... arguments) {
    return hapax("hook", arguments);
  }

  private Said run(String... arguments) {
    return hapax("run", arguments);
  }

  private Said start(String... arguments) {
    var all = Stream.concat(Stream.of("start", "ask", "--token", TOKEN), Stream.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private Said hapax(String command, String... arguments) {
    return operator.hapax(command, arguments);
  }

  private static StartRunResponse started(Said said) throws IOException {
    var started = StartRunResponse.newBuilder();
    JsonFormat.parser().merge(said.out(), started);
    return started.build();
  }

  private String owner(String... arguments) throws IOException {
    var all = Stream.concat(Stream.of("--json"), Stream.of(arguments));
    return started(start(all.toArray(String[]::new))).getRun().getId();
  }

  @Test
  void showsWhoOwnsAToken() throws IOException {
    assertThat(hook("get", TOKEN).code()).isEqualTo(3);
    var owner = owner("--token-retention=24h");

    var shown = hook("get", TOKEN);

    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .startsWith("run             " + owner + "\n")
        .containsPattern("status +WAITING\n")
        .containsPattern("retention +24h\n")
        .doesNotContain("until", TOKEN);
    var answer = GetHookResponse.newBuilder();
    JsonFormat.parser().merge(hook("get", TOKEN, "--json").out(), answer);
    var hook = answer.getHook();
    assertThat(hook.getRunId()).isEqualTo(owner);
    assertThat(shown.out()).containsPattern("fingerprint +" + hook.getFingerprint());

    assertThat(run("cancel", owner).code()).isZero();
    assertThat(hook("get", TOKEN).out()).containsPattern("status +CANCELLED\n").contains("until ");
  }

  @Test
  void sendsToTheOwner() throws IOException {
    var owner = owner();
    var approval =
        new String[] {"signal", TOKEN, "--type=approved", "--payload=1", "--signal-id=s"};

    assertThat(hook("signal", TOKEN, "--type=other").out()).startsWith("buffered by " + owner);
    assertThat(hook("signal", TOKEN, "--type=other", "--json").out())
        .contains("\"disposition\":\"SIGNAL_DISPOSITION_BUFFERED\"", owner);
    assertThat(hook(approval).out()).startsWith("delivered to " + owner);
    assertThat(run("get", owner).out()).containsPattern("output +1\n");
    var late = hook("signal", TOKEN, "--type=approved");
    assertThat(late.code()).isEqualTo(3);
    assertThat(late.err()).startsWith("hapax: ").hasLineCount(1).doesNotContain(TOKEN);
  }

  @Test
  void sendsOnce() throws IOException {
    var owner = owner();
    var signal = new String[] {"signal", TOKEN, "--type=other", "--signal-id=s"};

    assertThat(hook(signal).out()).startsWith("buffered");
    assertThat(hook(signal).out()).startsWith("duplicate: " + owner);
  }

  @Test
  void freesAToken() throws IOException {
    var first = owner("--token-retention=24h");

    var disposed = hook("dispose", TOKEN, "--run", first);

    assertThat(disposed.code()).isZero();
    assertThat(disposed.out()).contains(first, "until ");
    assertThat(hook("get", TOKEN).code()).isEqualTo(3);
    assertThat(hook("dispose", TOKEN, "--run", first).code()).isZero();
    assertThat(run("get", first).out()).containsPattern("status +WAITING\n");
    assertThat(run("events", first).out()).contains("released a token").doesNotContain(TOKEN);

    var second = owner();
    var refused = hook("dispose", TOKEN, "--run", first);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).startsWith("hapax: ").hasLineCount(1).doesNotContain(TOKEN);
    assertThat(hook("dispose", TOKEN).out()).contains(second);
  }

  @Test
  void rejectsAStartAndNamesTheOwner() throws IOException {
    var owner = owner();

    var rejected = start();

    assertThat(rejected.code()).isEqualTo(1);
    assertThat(rejected.out()).isEmpty();
    assertThat(rejected.err())
        .isEqualTo(
            "hapax: no run was started: the token belongs to " + owner + ", which is WAITING\n");
    var awaited = start("--await", "--on-conflict=reject", "--json");
    assertThat(awaited.code()).isEqualTo(1);
    assertThat(started(awaited).getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(started(awaited).getOwner().getRunId()).isEqualTo(owner);
    assertThat(run("list").lines()).hasSize(2);
  }

  @Test
  void usesTheOwner() throws IOException {
    var owner = owner("--token-retention=24h");

    var adopted = start("--on-conflict=use-existing");
    assertThat(adopted.code()).isZero();
    assertThat(adopted.out())
        .startsWith("the token already has an owner; current state:")
        .contains(owner);

    assertThat(hook("signal", TOKEN, "--type=approved", "--payload=2").code()).isZero();
    var ended = start("--on-conflict=use-existing", "--await");
    assertThat(ended.code()).isZero();
    assertThat(ended.out()).startsWith("found " + owner).containsPattern("output +2\n");
    assertThat(run("await", "--token", TOKEN).out()).contains(owner);
  }

  @Test
  void signalsTheOwner() throws IOException {
    var first = start("--on-conflict=signal-existing", "--signal-type=other", "--signal-id=1");
    assertThat(first.out()).startsWith("run ").containsPattern("status +WAITING\n");

    var second =
        start(
            "--on-conflict=signal-existing",
            "--signal-type=approved",
            "--signal-payload=3",
            "--await");

    assertThat(second.code()).isZero();
    assertThat(second.out()).startsWith("signalled run_").containsPattern("output +3\n");
    assertThat(run("list").lines()).hasSize(2);
  }

  @Test
  void supersedesTheOwner() throws IOException {
    var first = owner();
    var second = owner("--on-conflict=SUPERSEDE");

    assertThat(run("get", first).out())
        .containsPattern("status +CANCELLED\n")
        .containsPattern("superseded by +" + second);
    assertThat(run("get", second).out()).containsPattern("supersedes +" + first);
    assertThat(run("list").lines().get(1)).startsWith(second).endsWith("supersedes " + first);
    assertThat(run("list", "--status=cancelled").lines().getLast()).endsWith("by " + second);

    assertThat(start("--on-conflict=supersede", "--expected-owner", first).err())
        .contains("the token belongs to " + second);
    assertThat(start("--on-conflict=supersede", "--expected-owner", second).out())
        .startsWith("superseded " + second);
    assertThat(run("await", first, "--timeout=1ms").code()).isEqualTo(5);
  }

  @Test
  @DisplayName("given runs without a token, when they are listed, then the columns are the same")
  void listsRunsWithoutATokenAlike() {
    var none = run("list");
    assertThat(none.err()).isEqualTo("hapax: no runs\n");
    assertThat(run("start", "ask").code()).isZero();

    assertThat(run("list").lines()).hasSize(2).startsWith(none.lines().getFirst());
    assertThat(run("await", "--token", TOKEN).code()).isEqualTo(3);
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertThat(hapax("hook").code()).isEqualTo(2);
    assertThat(hook("get").code()).isEqualTo(2);
    assertThat(hook("signal", TOKEN, "--payload=@nowhere").code()).isEqualTo(2);
    assertThat(start("--on-conflict=perhaps").err())
        .contains("reject, use-existing, signal-existing, supersede");
    assertThat(start("--on-conflict=signal-existing").code()).isEqualTo(2);
    assertThat(start("--token-retention=-1s").code()).isEqualTo(2);
    assertThat(run("start", "ask", "--on-conflict=supersede").err()).contains("--token");
    assertThat(run("await").code()).isEqualTo(2);
    assertThat(run("await", "run_x", "--token", TOKEN).code()).isEqualTo(2);
  }

  @Test
  void saysHowToRetryWithoutAServer() {
    var unreachable = "--server=127.0.0.1:1";
    assertThat(hook("signal", TOKEN, unreachable).err()).contains("with --signal-id ");
    assertThat(hook("dispose", TOKEN, unreachable).err()).contains("with --run ID");
    assertThat(start(unreachable).err()).contains("with --key ");
  }
}
