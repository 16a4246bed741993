package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.document.CodeBlock;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The examples and the README of the TypeScript kit, executed as their reader does. */
@Tag("long")
class TypeScriptExampleIT {
  private static final String APPROVAL = "examples/approval.js";
  private static final Pattern BLOCK = Pattern.compile("```js\\n(.*?)```", Pattern.DOTALL);
  private static final int FIRST_WORKER_LINES = 20;

  private final Deployment deployment = Deployment.shared();

  @BeforeEach
  void install() throws IOException {
    Kit.TYPESCRIPT.prepare();
  }

  private HapaxProcess start(String program, Map<String, String> more, String... arguments) {
    var environment = new HashMap<>(TestAccess.variables(deployment.target()));
    environment.putAll(more);
    return TypeScriptKit.start(program, environment, arguments);
  }

  private HapaxProcess worker() {
    var process = start(APPROVAL, Map.of(), "worker");
    var _ = process.awaitOutput(line -> line.startsWith("works "));
    return process;
  }

  /** What the program prints. */
  private List<String> output(String program, String... arguments) {
    try (var process = start(program, Map.of(), arguments)) {
      assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
      return process.output();
    }
  }

  private List<String> approval(String... arguments) {
    return output(APPROVAL, arguments);
  }

  private static void terminate(HapaxProcess process) {
    process.terminate();
    assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
  }

  @Test
  @DisplayName("given an expense, when a person decides twice, then it is paid once")
  void approval() {
    try (var worker = worker()) {
      var run = approval("request", "trip", "900").getFirst();
      assertThat(run).endsWith(" CREATED");
      var id = run.split(" ", 2)[0];
      var _ = worker.awaitOutput(line -> line.startsWith("mail: approve trip, 900 cents?"));
      assertThat(approval("decide", "trip", "yes").getFirst()).isIn("DELIVERED", "BUFFERED");
      assertThat(approval("result", id))
          .containsExactly("{\"paid\":true,\"receipt\":\"receipt-of-trip\"}");
      assertThat(approval("decide", "trip", "yes")).containsExactly("DUPLICATE");
      terminate(worker);
      assertThat(worker.output()).filteredOn(line -> line.startsWith("paid: 900 ")).hasSize(1);
      assertThat(worker.output()).filteredOn(line -> line.startsWith("mail: ")).hasSize(1);
    }
  }

  @Test
  @DisplayName("given an expense, when the decision is no, then it is not paid")
  void rejected() {
    try (var worker = worker()) {
      var id = approval("request", "dinner", "80").getFirst().split(" ", 2)[0];
      var _ = approval("decide", "dinner", "no");
      assertThat(approval("result", id)).containsExactly("{\"paid\":false}");
      terminate(worker);
      assertThat(worker.output()).noneMatch(line -> line.startsWith("paid: "));
    }
  }

  private static List<String> blocks() throws IOException {
    var readme = Files.readString(TypeScriptKit.SOURCES.resolve("README.md"));
    return BLOCK.matcher(readme).results().map(block -> block.group(1)).toList();
  }

  private static String written(String name, int block) throws IOException {
    Files.writeString(TypeScriptKit.APP.resolve(name), blocks().get(block));
    return name;
  }

  @Test
  @DisplayName("given the first worker of the README, then it is short, and greets each time")
  void firstWorker() throws IOException {
    assertThat(blocks()).hasSize(5);
    assertThat(blocks().getFirst().lines().count()).isLessThanOrEqualTo(FIRST_WORKER_LINES);
    var program = written("first-worker.js", 0);
    assertThat(output(program)).containsExactly("hello world");
    assertThat(output(program)).containsExactly("hello world");
  }

  @Test
  @DisplayName(
      "given the workflow of the README, then it compiles under strict rules, its job has 12 lines at"
          + " most, and its test of 14 days passes [workflows-U6, workflows-U12]")
  void testedWorkflow() throws IOException {
    var files = List.of("order.ts", "order.test.ts", "main.ts");
    var blocks =
        CodeBlock.in(Path.of("kits/typescript/README.md")).stream()
            .filter(block -> block.language().equals("ts"))
            .toList();
    assertThat(blocks).hasSameSizeAs(files);
    var folder = Files.createDirectories(TypeScriptKit.APP.resolve("readme"));
    for (var i = 0; i < files.size(); i++) {
      Files.writeString(folder.resolve(files.get(i)), blocks.get(i).text());
    }
    var job =
        Stream.of(blocks.getFirst(), blocks.getLast())
            .flatMap(block -> block.lines().stream())
            .filter(line -> !line.isBlank() && !line.startsWith("import "));
    assertThat(job.count()).isLessThanOrEqualTo(12);
    var compiler = TypeScriptKit.SOURCES.resolve("node_modules").toAbsolutePath();
    var options =
        "--module nodenext --target es2022 --strict --exactOptionalPropertyTypes --types node";
    var command =
        Stream.of(
                Stream.of(compiler.resolve("typescript/bin/tsc").toString()),
                Stream.of(options.split(" ")),
                Stream.of("--typeRoots", compiler.resolve("@types").toString()),
                files.stream().map(file -> "readme/" + file))
            .flatMap(each -> each)
            .toArray(String[]::new);
    assertThat(output("--", command)).isEmpty();
    try (var test =
        TypeScriptKit.start("--test", KitTestServer.variables(), "readme/order.test.js")) {
      assertThat(test.awaitExit(KitInstallation.PATIENCE)).as("%s", test.output()).isZero();
    }
    try (var main = start("readme/main.js", Map.of())) {
      var _ = main.awaitOutput(line -> line.startsWith("CREATED {"));
    }
  }

  @Test
  @DisplayName("given the operation of the README, then it charges once")
  void operation() throws IOException {
    assertThat(output(written("operation.js", 1)))
        .containsExactly("charged with fence true", "{ receipt: 7 }", "{ receipt: 7 }");
  }

  @Test
  @DisplayName("given the definition of the README, then its worker reads what the signal brought")
  void definition() throws IOException {
    assertThat(output(written("letter.js", 2))).containsExactly("prints letter 17, signed by ada");
  }

  @Test
  @DisplayName("given the store of the README, then a duplicate gets a large result from it")
  void store() throws IOException {
    assertThat(output(written("report.js", 3))).containsExactly("2000000", "2000000");
  }

  @Test
  @DisplayName("given the handler of the README, then a request with the same key is replayed")
  void handler() throws Exception {
    var port = String.valueOf(FreePort.next());
    try (var server = start(written("handler.js", 4), Map.of("PORT", port))) {
      var _ = server.awaitOutput("listens"::equals);
      assertThat(pay(port).headers().firstValue("Idempotent-Replayed")).isEmpty();
      var replayed = pay(port);
      assertThat(replayed.headers().firstValue("Idempotent-Replayed")).contains("true");
      assertThat(replayed.statusCode()).isEqualTo(201);
      assertThat(replayed.body()).isEqualTo("{\"paid\":300}");
      var _ = server.awaitOutput("paid 300"::equals);
      assertThat(server.output()).containsExactly("listens", "paid 300");
    }
  }

  @Test
  @DisplayName(
      "given the order beside that of Vercel Workflow, when clicked twice, then it is paid once")
  void orderOfAnotherSystem() throws IOException {
    var order =
        CodeBlock.in(Path.of("docs", "coming-from.md")).stream()
            .filter(block -> block.language().equals("js") && block.note().isEmpty())
            .toList();
    assertThat(order).hasSize(1);
    var program =
        """
        import { connect } from "hapax";
        import { DefinitionService } from "hapax/v1/definition_service";

        const client = connect();
        const charges = [];
        const provider = { charge: (order, amount, { idempotencyKey }) => charges.push({ order, amount, idempotencyKey }) };
        await client.call(DefinitionService.method.registerDefinition, {
          name: "process-order",
          version: "1",
          steps: [{ name: "process", kind: { case: "code", value: { queue: "process-order" } } }],
        });
        %s
        const first = await clicked("click-1");
        const second = await clicked("click-2");
        console.log(first.disposition, second.disposition, second.owner === first.run.id);
        const worker = client.worker("process-order", { process: processOrder });
        worker.start();
        console.log(await client.runs.result(first.run.id), charges[0].order, charges[0].amount, charges.length);
        await worker.stop();
        client.close();
        """
            .formatted(order.getFirst().text());
    Files.writeString(TypeScriptKit.APP.resolve("order.js"), program);
    assertThat(output("order.js")).containsExactly("CREATED SIGNALED true", "1 4711 30 1");
  }

  private static HttpResponse<String> pay(String port) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/pay"))
            .header("Idempotency-Key", "click-1")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"cents\": 300}"))
            .build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString());
    }
  }
}
