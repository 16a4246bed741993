package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Hapax;
import dev.hapax.client.Task;
import dev.hapax.client.Value;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A worker in a process of its own, to be killed and frozen in the midst of a step. */
final class WorkerMain {
  /** What it says when it begins a step, and when the step is over, before its step id. */
  static final String BEGINS = "begins ";

  static final String ENDS = "ends ";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Path done;

  private WorkerMain(Path done) {
    this.done = done;
  }

  /**
   * Arguments: HOST:PORT, workspace, its name, the file that says that steps are done, whether it
   * uses a stream.
   */
  public static void main(String[] arguments) throws InterruptedException {
    var main = new WorkerMain(Path.of(arguments[3]));
    var worker =
        Hapax.builder(Map.of())
            .channel(TestAccess.channel(arguments[0]).build())
            .workspace(arguments[1])
            .streams(Boolean.parseBoolean(arguments[4]))
            .connect()
            .worker()
            .workerId(arguments[2])
            // or it would poll while it works, and be given what it has lost
            .concurrency(1)
            .queue(RunCaller.QUEUE, main::work)
            .start();
    worker.awaitStopped();
  }

  private Value work(Task task) {
    say(BEGINS + task.stepId() + " attempt " + task.attempt());
    while (!Files.exists(done)) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    say(ENDS + task.stepId());
    return new Value.Json('"' + task.message().getStep().getWorkerId() + '"');
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
