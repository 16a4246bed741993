package dev.hapax.bench;

import java.util.ArrayList;
import java.util.List;

/** How the bench starts a Java process with its own JDK and classes. */
public final class BenchJvm {
  /** As the start script; huge pages do not exist on every system. */
  private static final List<String> OPTIONS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:+UseSerialGC",
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-XX:+UseTransparentHugePages",
          "-Xlog:pagesize=off",
          "-XX:+ExitOnOutOfMemoryError");

  private BenchJvm() {}

  /** Returns the command that runs a program, with these additional options of the JVM. */
  public static List<String> command(
      List<String> options, Class<?> program, List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(OPTIONS);
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(arguments);
    return command;
  }
}
