package dev.hapax.bootstrap.cli.monitoring;

import com.google.protobuf.Duration;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.ServerFeature;
import dev.hapax.v1.ServerInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Information about a server as text. */
final class ServerInfoText {
  private ServerInfoText() {}

  static List<String> lines(ServerInfo server, Instant now) {
    var lines = new ArrayList<String>();
    lines.add(line("version", server.getVersion()));
    lines.add(line("schema_version", Integer.toString(server.getSchemaVersion())));
    lines.add(line("database_time", ValueFormat.moment(server.getDatabaseTime(), now)));
    lines.add(
        line(
            "features",
            server.getFeaturesList().stream()
                .map(ServerInfoText::name)
                .collect(Collectors.joining(", "))));
    server
        .getLimits()
        .getAllFields()
        .forEach((field, value) -> lines.add(line(field.getName(), value(value))));
    return lines;
  }

  private static String name(ServerFeature feature) {
    return EnumOption.text(feature).toLowerCase(Locale.ROOT);
  }

  private static String value(Object value) {
    return value instanceof Duration length ? ValueFormat.length(length) : value.toString();
  }

  private static String line(String name, String value) {
    return "%-26s %s".formatted(name, value);
  }
}
