package dev.hapax.postgres.schema;

import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A migration that this program contains.
 *
 * @param script the name of its file
 * @param checksum as Flyway computes it
 * @param feature of a contract migration: what each server must know that runs from then on
 */
public record ShippedMigration(
    int version, Kind kind, String script, int checksum, OptionalInt feature) {

  /** The kind of a migration: its effect on servers of earlier versions. */
  public enum Kind {
    /** They work as before. */
    EXPAND,
    /** It changes what they use, so it waits until none of them runs. */
    CONTRACT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The migrations before make the schema of the first release. */
  private static final int FIRST_WITH_KIND = 16;

  private static final Pattern NAME =
      Pattern.compile("V(\\d{3})__(expand_|contract_)?[a-z0-9_]+\\.sql");

  private static final Pattern REQUIRED_FEATURE =
      Pattern.compile("^SELECT hapax\\.require_feature\\((\\d+)\\);$", Pattern.MULTILINE);

  /**
   * Reads the version and the kind from the name of the file.
   *
   * @param sql the content of the file
   */
  static ShippedMigration of(String script, int checksum, String sql) {
    var name = NAME.matcher(script);
    if (!name.matches()) {
      throw new IllegalArgumentException(
          script + " must be named V<3 digits>__expand_<what>.sql or V<3 digits>__contract_<what>");
    }
    int version = Integer.parseInt(name.group(1));
    var kind = name.group(2);
    if (kind == null && version >= FIRST_WITH_KIND) {
      throw new IllegalArgumentException(
          script
              + String.format(
                  Locale.ROOT,
                  " must say its kind: V%03d__expand_… or V%03d__contract_…",
                  version,
                  version));
    }
    return "contract_".equals(kind)
        ? new ShippedMigration(version, Kind.CONTRACT, script, checksum, feature(script, sql))
        : new ShippedMigration(version, Kind.EXPAND, script, checksum, OptionalInt.empty());
  }

  private static OptionalInt feature(String script, String sql) {
    var required = REQUIRED_FEATURE.matcher(sql);
    if (!required.find()) {
      throw new IllegalArgumentException(
          script + " must have a line SELECT hapax.require_feature(<number>);");
    }
    return OptionalInt.of(Integer.parseInt(required.group(1)));
  }
}
