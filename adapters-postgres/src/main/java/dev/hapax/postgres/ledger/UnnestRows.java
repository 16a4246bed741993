package dev.hapax.postgres.ledger;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Rows sent to the database, one array for each column.
 *
 * @param <R> the rows
 */
public final class UnnestRows<R> {
  private static final String NUMBER = "n";
  private final String alias;
  private final List<Column<R>> columns;

  public UnnestRows(String alias, List<Column<R>> columns) {
    this.alias = alias;
    this.columns = List.copyOf(columns);
  }

  /** The same with more columns. */
  public UnnestRows<R> with(List<Column<R>> more) {
    return new UnnestRows<>(alias, Stream.concat(columns.stream(), more.stream()).toList());
  }

  /** The sent rows as a table, to join or to select from. Takes one parameter for each column. */
  public Table<Record> table() {
    return table(sql());
  }

  /**
   * The sent rows as the source of a write, with the same parameters. As a selected value, {@code
   * unnest} returns one element at a time. In FROM, PostgreSQL first stores all of them: the insert
   * of a row of 16 columns takes a quarter longer. A join by an index needs FROM to be planned
   * well.
   */
  public Table<Record> writeSource() {
    var elements = join(column -> "unnest(sent.%1$s) AS %1$s".formatted(quoted(column)));
    var arrays = join(column -> array(column) + " AS " + quoted(column));
    return table("(SELECT %s FROM (SELECT %s) sent) AS \"%s\"".formatted(elements, arrays, alias));
  }

  private Table<Record> table(String sql) {
    return DSL.table(sql, new Object[columns.size()]);
  }

  String sql() {
    return "unnest(%s) WITH ORDINALITY AS \"%s\"(%s, \"%s\")"
        .formatted(join(UnnestRows::array), alias, join(UnnestRows::quoted), NUMBER);
  }

  private static String array(Column<?> column) {
    return "?::" + column.kind().type() + "[]";
  }

  private static String quoted(Column<?> column) {
    return '"' + column.name() + '"';
  }

  private String join(Function<Column<R>, String> part) {
    return columns.stream().map(part).collect(Collectors.joining(", "));
  }

  /** The number of a sent row, from 1. */
  public Field<Long> number() {
    return DSL.field(DSL.name(alias, NUMBER), SQLDataType.BIGINT);
  }

  /** Selects, for each sent row in order, its number and the row that an index finds for it. */
  public Select<?> each(Select<?> one) {
    var row = one.asTable("one");
    return DSL.select(number())
        .select(row.fields())
        .from(table(), DSL.lateral(row))
        .orderBy(number());
  }

  /** The sent value for this column of a table. */
  public <T> Field<T> get(Field<T> field) {
    return get(field.getName(), field);
  }

  /** The sent value of this name, with the type of {@code field}. */
  @SuppressWarnings("unchecked") // the caller says what it sent
  public <T> Field<T> get(String name, Field<T> field) {
    return (Field<T>)
        columns.stream()
            .filter(column -> column.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no column " + name + " for " + field))
            .received(alias);
  }

  /** All columns, by their names. */
  public List<Field<?>> names() {
    return columns.stream().<Field<?>>map(c -> DSL.field(DSL.name(c.name()))).toList();
  }

  /** All columns, as sent. */
  public List<Field<?>> all() {
    return columns.stream().<Field<?>>map(column -> column.received(alias)).toList();
  }

  /** The sent values by the names of their columns, for an update. */
  public Map<Field<?>, Field<?>> assignments() {
    var assignments = new LinkedHashMap<Field<?>, Field<?>>();
    columns.forEach(
        column -> assignments.put(DSL.field(DSL.name(column.name())), column.received(alias)));
    return assignments;
  }

  /** The same with only these of its columns. */
  UnnestRows<R> only(BitSet places) {
    return new UnnestRows<>(alias, places.stream().mapToObj(columns::get).toList());
  }

  List<Column<R>> columns() {
    return columns;
  }

  /** The parameters for these rows. */
  public List<Object> parameters(List<? extends R> rows) {
    var values = new ArrayList<Object>(columns.size());
    columns.forEach(column -> values.add(column.values(rows)));
    return values;
  }
}
