package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.config.SimilarNames;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax runbook}. */
@Command(
    name = "runbook",
    description = {
      "Print what to do when an alert fires; without a name, list the runbooks.",
      "Connects to nothing: the pages are part of the program."
    })
final class RunbookCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "Such as run-stuck, or the runbook_url of an alert.")
  private @Nullable String name;

  @Override
  public void run() {
    var out = spec.commandLine().getOut();
    if (name == null) {
      list().forEach(out::println);
    } else {
      out.print(Runbooks.page(known(name)));
    }
    out.flush();
  }

  private static List<String> list() {
    var table = new Table("NAME", "SYMPTOM");
    Runbooks.symptoms().forEach(table::add);
    return table.lines();
  }

  private String known(String text) {
    var wanted = text.replaceFirst("^.*/", "").replaceFirst("\\.md$", "");
    var names = Runbooks.symptoms().keySet();
    if (names.contains(wanted)) {
      return wanted;
    }
    throw new ParameterException(
        spec.commandLine(),
        "there is no runbook '%s'; %s".formatted(text, suggestion(wanted, names)));
  }

  private static String suggestion(String wanted, Set<String> names) {
    var near = names.stream().filter(each -> each.contains(wanted)).toList();
    var similar = near.isEmpty() ? SimilarNames.of(wanted, names) : near;
    return similar.isEmpty()
        ? "`hapax runbook` lists all"
        : "did you mean " + String.join(", ", similar) + "?";
  }
}
