package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A hapax in a process of its own, to be killed, frozen and listened to. */
public final class HapaxProcess implements AutoCloseable {
  public static final String MAIN = "dev.hapax.bootstrap.Main";
  private static final String READY = "hapax ready on ";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final List<String> JVM_FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xmx512m",
          // a run of the tests in another locale is one of the servers, too
          "-Duser.language=" + Locale.getDefault().getLanguage(),
          "-Duser.country=" + Locale.getDefault().getCountry());

  private final Process process;
  private final Lines output;
  private final Lines errors;

  private HapaxProcess(Process process) {
    this.process = process;
    this.output = new Lines(process.getInputStream());
    this.errors = new Lines(process.getErrorStream());
  }

  /** Starts {@code hapax} with these arguments. */
  public static HapaxProcess start(String... arguments) {
    return start(Map.of(), arguments);
  }

  /** Starts {@code hapax} with these arguments and, beside the usual ones, these variables. */
  public static HapaxProcess start(Map<String, String> environment, String... arguments) {
    return startMain(MAIN, environment, arguments);
  }

  /**
   * Starts {@code hapax} with these arguments on a JVM with more flags; they beat the usual ones.
   */
  public static HapaxProcess start(List<String> jvmFlags, String... arguments) {
    return startMain(MAIN, jvmFlags, Map.of(), arguments);
  }

  /** Starts any main class of the class path as a process with the same means. */
  public static HapaxProcess startMain(
      String main, Map<String, String> environment, String... arguments) {
    return startMain(main, List.of(), environment, arguments);
  }

  private static HapaxProcess startMain(
      String main, List<String> jvmFlags, Map<String, String> environment, String... arguments) {
    var command = new ArrayList<>(command(main, jvmFlags));
    command.addAll(main.equals(MAIN) ? TestAccess.secured(List.of(arguments)) : List.of(arguments));
    return start(new ProcessBuilder(command), environment);
  }

  /** How a main class of the class path is started, for scripts; its arguments follow. */
  public static List<String> command(String main) {
    return command(main, List.of());
  }

  private static List<String> command(String main, List<String> jvmFlags) {
    var command = new ArrayList<>(java());
    // a test with a class path wants other classes
    if (main.equals(MAIN) && !jvmFlags.contains("-cp") && Packaged.JAR.isPresent()) {
      command.addAll(Packaged.JAR.get().arguments(jvmFlags));
      return command;
    }
    command.addAll(List.of("-cp", classPath()));
    command.addAll(jvmFlags);
    command.add(main);
    return command;
  }

  private static List<String> java() {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_FLAGS);
    return command;
  }

  /** What Maven has packaged before these tests; an IDE runs them with classes. */
  private static final class Packaged {
    static final Optional<HapaxJar> JAR =
        Optional.ofNullable(System.getProperty("hapax.jar"))
            .map(jar -> HapaxJar.at(Path.of(jar), java()));
  }

  /** Starts any other program in this folder as a process with the same means. */
  public static HapaxProcess startProgram(Path folder, String... command) {
    return startProgram(folder, Map.of(), command);
  }

  /** Starts any other program in this folder with these variables beside the usual ones. */
  public static HapaxProcess startProgram(
      Path folder, Map<String, String> environment, String... command) {
    return start(new ProcessBuilder(command).directory(folder.toFile()), environment);
  }

  private static HapaxProcess start(ProcessBuilder builder, Map<String, String> environment) {
    // what the caller of the tests has set must not decide them
    builder.environment().keySet().removeIf(name -> name.startsWith("HAPAX_"));
    // that of the tests has fsync off
    builder.environment().put("HAPAX_ALLOW_UNSAFE_DATABASE", "true");
    // tests run beside each other, and its default port is one
    builder.environment().put("HAPAX_CONSOLE_LISTEN", "off");
    builder.environment().putAll(TestAccess.variables());
    builder.environment().putAll(environment);
    try {
      return new HapaxProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // surefire's own class path is a jar that only points to the real one
  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** Waits until health is SERVING; the HOST:PORT it serves on. */
  public String awaitReady() {
    return awaitOutput(line -> line.startsWith(READY)).substring(READY.length());
  }

  /** Waits for a line on standard output. */
  public String awaitOutput(Predicate<String> wanted) {
    return output.await(wanted, this::said);
  }

  /** Waits for a line on standard error. */
  public String awaitError(Predicate<String> wanted) {
    return errors.await(wanted, this::said);
  }

  /** Writes a line to its standard input. */
  public void type(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new AssertionError("it reads nothing\n" + said(), e);
    }
  }

  /** SIGTERM. */
  public void terminate() {
    signal("TERM");
  }

  /** SIGKILL, waited for. What the process has started lives on. */
  public void kill9() {
    process.destroyForcibly();
    awaitExit();
  }

  /** SIGSTOP: it stands still, its connections stay open. */
  public void stop() {
    signal("STOP");
  }

  /** SIGCONT: it goes on as if nothing had happened. */
  public void cont() {
    signal("CONT");
  }

  private void signal(String name) {
    Signals.send(name, process.pid());
  }

  /** Waits for the end; the exit code. */
  public int awaitExit() {
    return awaitExit(PATIENCE);
  }

  /** Waits for the end of a long work, such as a build; the exit code. */
  public int awaitExit(Duration patience) {
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("still running\n" + said());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    output.awaitEnd();
    errors.awaitEnd();
    return process.exitValue();
  }

  public long pid() {
    return process.pid();
  }

  /** The bytes of its heap that are in use after a collection. */
  public long liveBytes() {
    return Heap.live(process.pid());
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The lines on standard output so far. */
  public List<String> output() {
    return output.soFar();
  }

  /** The lines on standard error so far. */
  public List<String> errors() {
    return errors.soFar();
  }

  /** Log lines of errors and exceptions. */
  public List<String> loggedErrors() {
    return errors().stream()
        .filter(
            line ->
                line.contains(" ERROR ") || line.contains("Exception") || line.startsWith("\tat "))
        .toList();
  }

  private String said() {
    return "standard output:\n  "
        + String.join("\n  ", output())
        + "\nstandard error:\n  "
        + String.join("\n  ", errors());
  }

  /** SIGKILL to what the process has started. */
  public void killChildren() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
  }

  /** Ends it by force if it still runs. */
  @Override
  public void close() {
    if (process.isAlive()) {
      kill9();
    }
  }
}
