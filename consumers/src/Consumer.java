import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.Operation;
import dev.hapax.client.Workflow;
import java.time.Duration;
import java.util.UUID;

/** What a user's first program does: an operation and its replay, and a code workflow that waits. */
final class Consumer {
  private Consumer() {}

  public static void main(String[] args) {
    var key = UUID.randomUUID().toString();
    var name = "consumer-" + key;
    var greeting =
        Workflow.of(
            name,
            name,
            Codec.text(),
            Codec.text(),
            (task, whom) -> {
              var recorded = task.record("greet", Codec.text(), id -> "hello");
              task.suspend("pause", Duration.ofMillis(10));
              return recorded + " " + whom;
            });
    try (var hapax = Hapax.connect()) {
      var operation = Operation.of("consumer", key);
      expect(key, hapax.once(operation, Codec.text(), claim -> key));
      expect(key, hapax.once(operation, Codec.text(), claim -> "again"));
      try (var worker = hapax.worker().add(greeting).start()) {
        var run = hapax.runs().start(greeting, key, "world");
        expect("hello world", run.result(Duration.ofSeconds(30)));
      }
    }
    System.out.println("ran an operation, its replay and a workflow");
  }

  private static void expect(String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + " (was " + actual + ")");
    }
  }
}
