package dev.hapax.testkit.postgres;

import java.net.URI;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The nodes of a Citus cluster that tests may use. */
final class CitusNodes {
  private static final String PREFIX = "jdbc:";

  private CitusNodes() {}

  /** What gives the URL of a database, for each node; that of the coordinator is the first one. */
  static List<UnaryOperator<String>> of(String coordinator) {
    return Stream.concat(
            Stream.of(URI.create(coordinator.substring(PREFIX.length())).getAuthority()),
            read(
                coordinator,
                "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY groupid")
                .stream())
        .map(address -> at(coordinator, address))
        .toList();
  }

  /** The URL of the node that has the tables of a schema. */
  static String urlOf(String schema, String coordinator) {
    var address =
        read(
                coordinator,
                "SELECT DISTINCT nodename || ':' || nodeport FROM citus_shards WHERE table_name::text LIKE '%s.%%'"
                    .formatted(schema))
            .getFirst();
    var path = URI.create(coordinator.substring(PREFIX.length())).getPath();
    return at(coordinator, address).apply(path.substring(1));
  }

  private static List<String> read(String url, String query) {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      var texts = new ArrayList<String>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }

  private static UnaryOperator<String> at(String coordinator, String address) {
    var uri = URI.create(coordinator.substring(PREFIX.length()));
    var query = uri.getQuery() == null ? "" : "?" + uri.getQuery();
    return database -> PREFIX + uri.getScheme() + "://" + address + "/" + database + query;
  }

  /** Makes databases of all nodes, that of the coordinator first, one of the cluster. */
  static void join(List<String> urls) {
    urls.forEach(url -> TestDatabase.run(url, "CREATE EXTENSION citus"));
    var coordinator = urls.getFirst();
    for (var url : urls) {
      var node = URI.create(url.substring(PREFIX.length()));
      TestDatabase.run(
          coordinator,
          "SELECT %s('%s', %s)"
              .formatted(
                  url.equals(coordinator) ? "citus_set_coordinator_host" : "citus_add_node",
                  node.getHost(),
                  node.getPort()));
    }
  }
}
