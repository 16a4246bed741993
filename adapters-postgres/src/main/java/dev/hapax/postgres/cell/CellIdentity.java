package dev.hapax.postgres.cell;

import dev.hapax.domain.cell.CellName;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The name and the secret that a database remembers, which tell cells apart. */
public final class CellIdentity {
  /** The column is missing in an older schema. */
  private static final String READ =
      "SELECT to_jsonb(i) ->> 'cell', secret FROM hapax.installation i";

  private final Optional<String> name;
  private final byte[] secret;

  private CellIdentity(Optional<String> name, byte[] secret) {
    this.name = name;
    this.secret = secret;
  }

  /** Reads those of a database with a schema; no secret = no server has worked on it. */
  public static CellIdentity read(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(READ)) {
      return rows.next()
          ? new CellIdentity(Optional.ofNullable(rows.getString(1)), rows.getBytes(2))
          : new CellIdentity(Optional.empty(), new byte[0]);
    }
  }

  /** Why this database is not the first cell, if so. */
  public Optional<String> problemOfFirst() {
    return name.filter(known -> !known.equals(CellName.DEFAULT.text()))
        .map(
            known ->
                "it is cell %s; --database-url must name the database of the first cell"
                    .formatted(known));
  }

  /** Why this database is not a cell of the installation, if so. */
  public Optional<String> problem(CellName cell, CellIdentity first) {
    if (name.isEmpty()) {
      return Optional.of("it is no cell yet; run `hapax cell add %s`".formatted(cell));
    }
    if (!name.get().equals(cell.text())) {
      return Optional.of(
          "it is cell %s, and not %s; correct the URL, and give each cell its own database"
              .formatted(name.get(), cell));
    }
    return hasSecretOf(first)
        ? Optional.empty()
        : Optional.of(
            "its secret is not that of the first cell: it belongs to another installation; correct"
                + " the URL of the cell, or --database-url");
  }

  /** Whether ids and signatures of the other database are valid in this one. */
  boolean hasSecretOf(CellIdentity other) {
    return MessageDigest.isEqual(secret, other.secret);
  }

  Optional<String> name() {
    return name;
  }
}
