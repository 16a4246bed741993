package dev.hapax.bootstrap.kit;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.Retry;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.Step;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A server, a workspace of its own, the ledger of its programs, and a client that reads it. */
final class KitScene implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Kit kit;
  private final String target;
  private final Path ledger;
  private final String workspace;
  private final ManagedChannel channel;
  private final Hapax client;
  private final List<KitProgram> programs = new ArrayList<>();

  KitScene(Kit kit, Deployment deployment, Path folder) throws IOException {
    this(kit, deployment.target(), folder, Map.of());
  }

  /**
   * A scene at a server that is called in another way.
   *
   * @param access the variables of a client, beside the usual ones
   */
  KitScene(Kit kit, String target, Path folder, Map<String, String> access) throws IOException {
    kit.prepare();
    this.kit = kit;
    this.target = target;
    this.workspace = "kit-" + NUMBER.incrementAndGet();
    this.ledger = Files.createFile(folder.resolve("ledger"));
    this.channel = TestAccess.channel(target, access).build();
    this.client = connect();
  }

  private KitScene(KitScene other, String target) {
    this.kit = other.kit;
    this.target = target;
    this.workspace = other.workspace;
    this.ledger = other.ledger;
    this.channel = TestAccess.channel(target).build();
    this.client = connect();
  }

  /** A program of the kit that calls the server. */
  KitProgram program() {
    return program(target, Map.of());
  }

  KitProgram program(Map<String, String> more) {
    return program(target, more);
  }

  KitProgram program(String to, Map<String, String> more) {
    var program = new KitProgram(kit.start(environment(to, more)));
    programs.add(program);
    return program;
  }

  /** The variables of a program that calls the server in this workspace. */
  Map<String, String> environment(Map<String, String> more) {
    return environment(target, more);
  }

  private Map<String, String> environment(String to, Map<String, String> more) {
    var environment = new HashMap<>(TestAccess.variables(to));
    environment.put("CONTRACT_WORKSPACE", workspace);
    environment.put("CONTRACT_LEDGER", ledger.toString());
    environment.putAll(more);
    return environment;
  }

  /** The work of a map whose branches record an effect each. */
  static String branches(int branches, int concurrency) {
    return IntStream.range(0, branches)
        .mapToObj("\"%d\""::formatted)
        .collect(
            Collectors.joining(
                ", ",
                "[{\"map\": \"each\", \"keys\": [",
                """
                ], "concurrency": %s,
                 "work": [{"record": "pay", "work": [{"effect": "pay"}]}]}, {"return": 1}]
                """
                    .formatted(concurrency)));
  }

  /** A program with a worker whose step {@code only} does this work. */
  KitProgram worker(String work) {
    return worker(program(), work);
  }

  KitProgram worker(KitProgram program, String work) {
    return worker(program, 1, "release", work);
  }

  /** As {@link #worker(String)}, with what it does if its code does not fit the records. */
  KitProgram worker(String onCodeChange, String work) {
    return worker(program(), 1, onCodeChange, work);
  }

  /** As {@link #worker(String)}, with so many tasks at once. */
  KitProgram worker(int concurrency, String work) {
    return worker(program(), concurrency, "release", work);
  }

  private static KitProgram worker(
      KitProgram program, int concurrency, String onCodeChange, String work) {
    program.text(
        "work",
        String.format(
            Locale.ROOT,
            """
        "queue": "work", "definition": "case", "concurrency": %d, "on_code_change": "%s",
        "steps": {"only": %s}
        """,
            concurrency,
            onCodeChange,
            work));
    return program;
  }

  String workspace() {
    return workspace;
  }

  /** The same workspace and ledger, seen through another server. */
  KitScene at(String target) {
    return new KitScene(this, target);
  }

  private Hapax connect() {
    return Hapax.builder(Map.of()).channel(channel).workspace(workspace).connect();
  }

  Hapax client() {
    return client;
  }

  /** Defines {@code case} as one step with this lease, code that may record parts. */
  void define(Duration lease) {
    define(lease, 20);
  }

  /** As {@link #define(Duration)}, with so many attempts without progress. */
  void define(Duration lease, int maxAttempts) {
    client
        .definitions()
        .register(
            Definition.of("case", "1")
                .code(
                    "only",
                    "work",
                    step ->
                        step.lease(lease)
                            .retry(
                                Retry.attempts(maxAttempts)
                                    .backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1)))));
  }

  /** Starts a run of {@code case}; its id. */
  String start() {
    return client.runs().start("case").run().id();
  }

  Run ended(String runId) {
    return client.runs().await(runId, PATIENCE).message();
  }

  /** The step of a run of {@code case}. */
  Step step(String runId) {
    var request = ListStepsRequest.newBuilder().setWorkspace(workspace).setRunId(runId).build();
    return client.call(request, ListStepsResponse.getDefaultInstance()).getSteps(0);
  }

  List<RunEvent> events(String runId) {
    var events = new ArrayList<RunEvent>();
    var request =
        ListRunEventsRequest.newBuilder().setWorkspace(workspace).setRunId(runId).setPageSize(500);
    do {
      var page = client.call(request.build(), ListRunEventsResponse.getDefaultInstance());
      events.addAll(page.getEventsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return events;
  }

  /** Counts these ids of {@code fail_times} as failed, each once more. */
  void countAsFailed(List<String> ids) throws IOException {
    var file = ledger.resolveSibling(ledger.getFileName() + ".fails");
    Files.write(file, ids, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The lines of the ledger: the name of an effect, its fence, its id. */
  List<List<String>> ledger() {
    try {
      return Files.readAllLines(ledger).stream().map(line -> List.of(line.split(" ", 3))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The ids of the effects in the ledger, in their order. */
  List<String> effects() {
    return ledger().stream().map(List::getLast).toList();
  }

  @Override
  public void close() {
    programs.forEach(KitProgram::close);
    client.close();
    channel.shutdownNow();
  }
}
