package dev.hapax.bootstrap.command;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** What {@code hapax --version} says. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    var version = Optional.ofNullable(Version.class.getPackage().getImplementationVersion());
    return new String[] {
      "hapax " + version.orElse("development"), "Java " + Runtime.version(),
    };
  }
}
