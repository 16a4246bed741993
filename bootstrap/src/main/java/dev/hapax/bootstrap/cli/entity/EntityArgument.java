package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Entity;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The arguments for an entity, and the options of the server. */
final class EntityArgument {
  @Mixin private final ConnectionOptions server;

  @Parameters(
      index = "0",
      paramLabel = "LIFECYCLE",
      description = "Name of the lifecycle, such as billing.")
  private String lifecycle = "";

  @Parameters(index = "1", paramLabel = "ID", description = "ID of the entity, such as invoice-17.")
  private String id = "";

  EntityArgument(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  ConnectionOptions server() {
    return server;
  }

  String lifecycle() {
    return lifecycle;
  }

  String id() {
    return id;
  }

  void show(Entity entity, PrintWriter out) throws IOException {
    if (server.json()) {
      out.println(ValueFormat.json(entity));
    } else {
      new EntityText(Instant.now()).details(entity).forEach(out::println);
    }
  }
}
