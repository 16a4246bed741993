import dev.hapax.client.PayloadCodec;
import dev.hapax.client.HapaxChannel;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.RunRequest;
import java.time.Duration;
import java.util.UUID;

/** What a user's first program does: an operation and its replay, and a code workflow that waits. */
final class Consumer {
  private Consumer() {}

  public static void main(String[] args) throws Exception {
    var channel = HapaxChannel.fromEnvironment().open();
    var hapax = HapaxClient.on(channel);
    var key = UUID.randomUUID().toString();
    var operation = OperationRequest.of("consumer", key);
    var first = hapax.operations().execute(operation, PayloadCodec.text(), held -> key).orThrow();
    var replay = hapax.operations().execute(operation, PayloadCodec.text(), held -> "again").orThrow();
    expect(key, first);
    expect(key, replay);

    var name = "consumer-" + key;
    hapax.definitions().register(RunDefinition.of(name, "1").code("main", name));
    var worker =
        hapax
            .newWorker()
            .workflow(
                name,
                name,
                "main",
                PayloadCodec.text(),
                context -> {
                  var recorded = context.record("greet", PayloadCodec.text(), id -> "hello");
                  context.suspend("pause", Duration.ofMillis(10));
                  return recorded + " " + context.input(PayloadCodec.text());
                })
            .start();
    var start = RunRequest.of(name).withKey(key).withInput(PayloadCodec.text(), "world");
    var run = hapax.runs().start(start).getRun().getId();
    expect("hello world", hapax.runs().result(run, PayloadCodec.text(), Duration.ofSeconds(30)));
    worker.close();
    channel.shutdownNow();
    System.out.println("ran an operation, its replay and a workflow");
  }

  private static void expect(String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + " (was " + actual + ")");
    }
  }
}
