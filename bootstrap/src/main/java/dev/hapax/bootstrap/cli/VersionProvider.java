package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.ProgramVersion;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code hapax --version}. */
final class VersionProvider implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "hapax " + ProgramVersion.text() + ", commit " + ProgramVersion.commit(),
      "Java " + Runtime.version()
    };
  }
}
