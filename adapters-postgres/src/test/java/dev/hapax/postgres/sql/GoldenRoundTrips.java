package dev.hapax.postgres.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A file of calls: what each sends to PostgreSQL, by round trip, with a line for each statement.
 */
final class GoldenRoundTrips {
  private static final int SHORT = 60;
  private static final Pattern WRITE =
      Pattern.compile("(?i)\\b(insert into|update|delete from) hapax\\.(\\w+)");
  private static final Pattern UPSERT = Pattern.compile("(?i)\\bon conflict .*\\s+do update\\b");
  private static final String UPSERTS = " on conflict do update";
  private static final Pattern READ = Pattern.compile("(?i)\\bfrom hapax\\.(\\w+)");
  private static final Pattern LOCK = Pattern.compile("(?i)\\bfor (no key )?update\\b");
  private static final Pattern SHARE = Pattern.compile("(?i)\\bfor (key )?share\\b");

  private final GoldenFile file;
  private final RecordedConnections connections;
  private final List<String> calls = new ArrayList<>();

  GoldenRoundTrips(String name, RecordedConnections connections) {
    this.file = GoldenFile.named(name + ".txt");
    this.connections = connections;
  }

  /** Adds what this call sends, and returns its result. */
  <T> T add(String name, Callable<T> call) throws Exception {
    connections.take();
    var result = call.call();
    var text = new StringBuilder(name).append('\n');
    var trips = connections.takeRoundTrips();
    for (var i = 0; i < trips.size(); i++) {
      var statements = trips.get(i).stream().map(GoldenRoundTrips::line).toList();
      text.append(String.format(Locale.ROOT, "  %d. ", i + 1))
          .append(String.join("\n     ", statements))
          .append('\n');
    }
    calls.add(text.toString());
    return result;
  }

  /** Compares with the file, or writes it with {@code -Dsql=write}. */
  void verify() {
    file.verify(String.join("\n", calls));
  }

  /** The files of the tables have long statements in full, so the line only has what it does. */
  private static String line(String statement) {
    if (statement.length() <= SHORT) {
      return statement;
    }
    var writes =
        WRITE
            .matcher(statement)
            .results()
            .map(write -> write.group(1).toLowerCase(Locale.ROOT) + " " + write.group(2))
            .distinct()
            .toList();
    return writes.isEmpty()
        ? read(statement)
        : String.join(", ", writes) + (UPSERT.matcher(statement).find() ? UPSERTS : "");
  }

  private static String read(String statement) {
    var verb =
        LOCK.matcher(statement).find()
            ? "lock"
            : SHARE.matcher(statement).find() ? "share" : "read";
    return READ.matcher(statement)
        .results()
        .map(found -> found.group(1))
        .distinct()
        .collect(Collectors.joining(", ", verb + " ", ""));
  }
}
