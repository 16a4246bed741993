package dev.hapax.postgres.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.testkit.ledger.Counter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counters in a table of the test's own. One of them cannot be written: {@link #POISON}. */
final class CounterTable<K extends RecordKey<Counter>> implements RecordTable<K, Counter> {
  static final long POISON = -666;

  /** The contract's counters, and another table of them. */
  static final List<CounterTable<?>> ALL =
      List.of(
          new CounterTable<>("counter", Counter.Key.class, Counter.Key::name),
          new CounterTable<>("tally", TallyKey.class, TallyKey::name));

  /** The contract's counters. */
  @SuppressWarnings("unchecked") // the first of them
  static RecordTable<Counter.Key, Counter> counters() {
    return (RecordTable<Counter.Key, Counter>) ALL.getFirst();
  }

  private final String table;
  private final Class<K> type;
  private final Function<K, String> name;
  private final UnnestRows<K> keys;
  private final UnnestRows<Write<K, Counter>> writes;

  /** Names a counter of the other table. */
  record TallyKey(Workspace workspace, String name) implements RecordKey<Counter> {}

  private CounterTable(String table, Class<K> type, Function<K, String> name) {
    this.table = table;
    this.type = type;
    this.name = name;
    this.keys =
        new UnnestRows<>(
            "k",
            List.of(
                new Column<>("workspace", Kind.TEXT, key -> key.workspace().name()),
                new Column<>("name", Kind.TEXT, name::apply)));
    this.writes =
        new UnnestRows<>(
            "w",
            List.of(
                new Column<>("workspace", Kind.TEXT, write -> write.key().workspace().name()),
                new Column<>("name", Kind.TEXT, write -> name.apply(write.key())),
                new Column<>("before", Kind.LONG, write -> value(write.before())),
                new Column<>("after", Kind.LONG, write -> value(write.after()))));
  }

  String schema() {
    return String.format(
        Locale.ROOT,
        """
    CREATE TABLE hapax.%s (
      workspace varchar(63) NOT NULL, name varchar(255) NOT NULL,
      value bigint NOT NULL CHECK (value <> %d),
      PRIMARY KEY (workspace, name))
    """,
        table,
        POISON);
  }

  private static @Nullable Long value(@Nullable Counter counter) {
    return counter == null ? null : counter.value();
  }

  @Override
  public Class<K> keys() {
    return type;
  }

  @Override
  public Comparator<K> lockOrder() {
    return Comparator.comparing((K key) -> key.workspace()).thenComparing(name);
  }

  @Override
  public void lock(Pipeline pipeline, List<K> wanted, Loading<K, Counter> loading) {
    select(pipeline, wanted, loading, "UPDATE");
  }

  @Override
  public void share(Pipeline pipeline, List<K> wanted, Loading<K, Counter> loading) {
    select(pipeline, wanted, loading, "SHARE");
  }

  private void select(
      Pipeline pipeline, List<K> wanted, Loading<K, Counter> loading, String strength) {
    pipeline.query(
        "SELECT k.n, c.value, workspace FROM %s JOIN hapax.%s c USING (workspace, name) ORDER BY 1 FOR %s OF c"
            .formatted(keys.sql(), table, strength),
        keys.parameters(wanted),
        row -> loading.found(LoadedKey.of(row, wanted), new Counter(row.getLong(2))));
  }

  @Override
  public void lookUp(Pipeline pipeline, List<K> absent, Loading<K, Counter> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<K, Counter>> all) {
    write(
        pipeline,
        "INSERT INTO hapax.%s SELECT w.workspace, w.name, w.after FROM %s ON CONFLICT DO NOTHING",
        all.stream().filter(w -> w.before() == null));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<K, Counter>> all) {
    var guarded = " WHERE c.workspace = w.workspace AND c.name = w.name AND c.value = w.before";
    write(
        pipeline,
        "UPDATE hapax.%s c SET value = w.after FROM %s" + guarded,
        all.stream().filter(w -> w.before() != null && w.after() != null));
    write(
        pipeline,
        "DELETE FROM hapax.%s c USING %s" + guarded,
        all.stream().filter(w -> w.after() == null));
  }

  private void write(Pipeline pipeline, String statement, Stream<Write<K, Counter>> which) {
    pipeline.write(
        "WITH x AS (%s RETURNING 1) SELECT hapax.expect(?, (SELECT count(*) FROM x), '%s')"
            .formatted(statement.formatted(table, writes.sql()), table),
        writes,
        which.toList());
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<K, Counter>> all) {}
}
