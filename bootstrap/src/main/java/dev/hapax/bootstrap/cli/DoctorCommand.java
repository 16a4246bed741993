package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.doctor.Doctor;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check whether a server can run here, and say how to fix what fails.",
      "Accepts the options, variables and configuration file of `hapax serve`."
    })
final class DoctorCommand implements Callable<Integer>, SettingOptions.User {
  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  DoctorCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = SettingOptions.read(spec.commandLine().getParseResult(), environment);
    var findings = new ArrayList<DatabaseFinding>();
    new Doctor(
            config,
            finding -> {
              findings.add(finding);
              spec.commandLine().getOut().println(finding);
            })
        .examine();
    long failed = findings.stream().filter(finding -> finding.level() == Level.FAIL).count();
    if (failed > 0) {
      spec.commandLine().getErr().println("hapax: " + failed + " checks failed");
      return ExitCode.SOFTWARE;
    }
    return ExitCode.OK;
  }
}
