package dev.hapax.bootstrap.server;

import com.google.inject.Injector;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.startup.definition.DefinitionFolder;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFolder;
import dev.hapax.grpc.definition.GatedRegistrations;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The definitions and lifecycles in files, read before the database is opened. */
record StartupFiles(Optional<DefinitionFolder> definitions, Optional<LifecycleFolder> lifecycles) {
  private static final Logger LOG = LoggerFactory.getLogger(StartupFiles.class);

  static StartupFiles read(ServerConfig config) throws ConfigurationException {
    var definitions =
        config.definitions().isPresent()
            ? Optional.of(DefinitionFolder.read(config.definitions().get()))
            : Optional.<DefinitionFolder>empty();
    var lifecycles =
        config.lifecycles().isPresent()
            ? Optional.of(LifecycleFolder.read(config.lifecycles().get()))
            : Optional.<LifecycleFolder>empty();
    return new StartupFiles(definitions, lifecycles);
  }

  /**
   * Registers and applies the files of a cell; rejects lifecycles without the janitor they need.
   *
   * @param workspaces whether the cell has the workspace of this name
   */
  void load(Injector injector, Predicate<String> workspaces)
      throws ConfigurationException, IOException {
    if (definitions.isPresent()) {
      var folder = definitions.get().of(workspaces);
      var added = folder.register(injector.getInstance(GatedRegistrations.class));
      LOG.info("definitions: {} loaded, {} new", folder.size(), added);
    }
    if (lifecycles.isPresent()) {
      var folder = lifecycles.get().of(workspaces);
      folder.warnings().forEach(warning -> LOG.info("lifecycle warning: {}", warning));
      var changed = folder.apply(injector.getInstance(Lifecycles.class));
      LOG.info("lifecycles and janitors: {} loaded, {} changed", folder.size(), changed);
    }
    LifecycleFolder.requireCovered(injector.getInstance(Janitors.class));
  }
}
