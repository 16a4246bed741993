package dev.hapax.bootstrap;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.config.PrintableText;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.ExitCode;

/** The entry point of the {@code hapax} program. */
public final class Main {
  /**
   * The character that the JVM substitutes for bytes outside of the character set of the locale.
   */
  private static final String UNDECODED = "\uFFFD";

  private Main() {}

  public static void main(String[] args) {
    var command = HapaxCommand.commandLine(System.getenv(), args);
    command.setOut(new PrintWriter(PrintableText.escaping(command.getOut()), true));
    command.setErr(new PrintWriter(PrintableText.escaping(command.getErr()), true));
    var undecoded = undecoded(System.getenv(), args);
    if (undecoded.isPresent()) {
      command
          .getErr()
          .printf(
              Locale.ROOT,
              "hapax: %s has bytes outside of the shell's character set, %s; set LC_ALL=C.UTF-8%n",
              undecoded.get(),
              System.getProperty("sun.jnu.encoding"));
      command.getErr().flush();
      System.exit(ExitCode.USAGE);
    }
    System.exit(command.execute(args));
  }

  /** Which text was changed when it was decoded; its value may be a secret. */
  private static Optional<String> undecoded(Map<String, String> environment, String[] args) {
    var arguments =
        IntStream.range(0, args.length)
            .filter(i -> args[i].contains(UNDECODED))
            .mapToObj(i -> "argument " + (i + 1));
    var variables =
        environment.entrySet().stream()
            .filter(
                each -> each.getKey().startsWith("HAPAX_") && each.getValue().contains(UNDECODED))
            .map(Map.Entry::getKey);
    return Stream.concat(arguments, variables).findFirst();
  }
}
