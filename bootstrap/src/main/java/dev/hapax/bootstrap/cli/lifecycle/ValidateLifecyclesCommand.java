package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.startup.lifecycle.FileFinding;
import dev.hapax.bootstrap.startup.lifecycle.FileFinding.Severity;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle validate}. */
@Command(
    name = "validate",
    description = {
      "Validate the lifecycles and janitors in JSON files: print violations, warnings, and claim"
          + " states that no janitor in these files covers.",
      "Needs no server."
    },
    exitCodeList = {"0:valid", "1:invalid", "2:invalid usage"})
final class ValidateLifecyclesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "JSON file with a lifecycle or the contract of a janitor.")
  private List<Path> paths = List.of();

  @Option(names = "--json", description = "Print JSON for scripts, one object per line.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    var files = LifecycleFiles.read(paths);
    var findings =
        Stream.of(files.violations(), files.warnings(), files.uncovered())
            .flatMap(all -> all)
            .toList();
    var out = spec.commandLine().getOut();
    for (var finding : findings) {
      if (json) {
        out.println(finding.json());
      } else {
        finding.lines().forEach(out::println);
      }
    }
    if (!json) {
      out.println(summary(findings));
    }
    return findings.stream().anyMatch(FileFinding::isViolation) ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private String summary(List<FileFinding> findings) {
    return "%s: %s, %s, %s"
        .formatted(
            counted(paths.size(), "file"),
            counted(count(findings, Severity.VIOLATION), "violation"),
            counted(count(findings, Severity.WARNING), "warning"),
            counted(count(findings, Severity.NOTE), "note"));
  }

  private static long count(List<FileFinding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  private static String counted(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
