package dev.hapax.bootstrap.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process of the demo, which can be killed and frozen. */
final class DemoProcess implements AutoCloseable {
  private final String name;
  private final Path log;
  private final Process process;
  private final BufferedReader output;

  private DemoProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts a process, which logs to a file in the folder.
   *
   * @param arguments arguments of {@code hapax demo}
   */
  static DemoProcess start(String name, Path folder, String... arguments) throws IOException {
    var log = folder.resolve(name + ".log");
    var command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.hapax.bootstrap.Main",
                "demo"));
    command.addAll(List.of(arguments));
    command.add("--name=" + name);
    return new DemoProcess(
        name, log, new ProcessBuilder(command).redirectError(log.toFile()).start());
  }

  /**
   * Returns the rest of the next line, which must have this prefix; otherwise kills the process.
   */
  String line(String beginning) throws IOException {
    var line = output.readLine();
    if (line == null || !line.startsWith(beginning)) {
      kill();
      throw new IOException(name + " did not start: " + Files.readString(log).strip());
    }
    return line.substring(beginning.length());
  }

  String name() {
    return name;
  }

  /** Kills the process (SIGKILL). */
  void kill() {
    var _ = process.destroyForcibly().onExit().join();
  }

  /** Freezes the process (SIGSTOP); its connections stay open. */
  void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Continues a frozen process (SIGCONT). */
  void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + process.pid()).start();
    if (kill.waitFor() != 0) {
      throw new IOException("cannot send SIG" + signal + " to " + name);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
