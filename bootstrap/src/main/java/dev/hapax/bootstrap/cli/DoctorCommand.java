package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.doctor.AfterRestore;
import dev.hapax.bootstrap.cli.doctor.Doctor;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.postgres.restore.RestoreKind;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check whether a server can run here, and say how to fix what fails.",
      "With --after-restore: make a restored or moved database ready for servers, and report what may have happened since.",
      "Accepts the options, variables and configuration file of `hapax serve`."
    })
final class DoctorCommand implements Callable<Integer>, ServerSettingOptions.User {
  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after-restore",
      paramLabel = "replacement|copy|moved",
      description = {
        "Refuse all claims that were granted before the restore, and list them.",
        "replacement: the database replaces one that was lost.",
        "copy: it is used beside the original, whose API keys are revoked in it.",
        "moved: it is the original and nothing was lost, as after pg_upgrade; claims stay valid."
      })
  private Optional<RestoreKind> afterRestore = Optional.empty();

  DoctorCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    if (afterRestore.isPresent()) {
      new AfterRestore(config, afterRestore.get(), spec.commandLine().getOut()::println).run();
      return ExitCode.OK;
    }
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
      spec.commandLine()
          .getErr()
          .println("hapax: " + (failed == 1 ? "1 check" : failed + " checks") + " failed");
      return ExitCode.SOFTWARE;
    }
    return ExitCode.OK;
  }
}
