package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.grpc.call.JsonDocument;
import java.io.IOException;
import java.util.Optional;

/** A lifecycle of a server. */
record ServerLifecycle(dev.hapax.v1.Lifecycle message) {

  static ServerLifecycle get(ConnectionOptions server, String name) throws Exception {
    return new ServerLifecycle(server.call(hapax -> hapax.lifecycles().get(name)));
  }

  /** Parses the lifecycle; fails if it uses features of a newer server. */
  Lifecycle lifecycle() throws IOException {
    return read()
        .orElseThrow(
            () ->
                new IOException(
                    "lifecycle \"%s\" uses features of a newer version: use a hapax as new as the server"
                        .formatted(message.getName())));
  }

  private Optional<Lifecycle> read() {
    try {
      return LifecycleReader.read(JsonDocument.parse(message.getJson())).lifecycle();
    } catch (InvalidValueException _) {
      return Optional.empty();
    }
  }
}
