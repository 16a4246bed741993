package dev.hapax.bootstrap.lifecycle;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import java.io.IOException;
import java.util.Map;

/** Where the files of one workspace are applied: the server that starts, or one that runs. */
interface Server {
  /** What is promised there and what is demanded, by module. */
  Map<String, Janitor> janitors() throws IOException;

  Answer declare(JanitorContract contract) throws IOException;

  Answer apply(LifecycleFile.OfLifecycle file) throws IOException;
}
