package dev.hapax.bootstrap.cli.call;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Formats a message as lines, with ages relative to an instant. */
@FunctionalInterface
public interface LineFormat<M> {
  List<String> lines(M message, Instant now) throws IOException;
}
