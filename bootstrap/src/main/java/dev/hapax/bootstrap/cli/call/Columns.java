package dev.hapax.bootstrap.cli.call;

import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/** The columns of a list: head, width and text of each. */
public record Columns<M>(List<Column<M>> columns) {
  /**
   * One column.
   *
   * @param width as in {@link Table.Column}
   * @param text text of an item at an instant, to which its ages are relative
   */
  public record Column<M>(String head, int width, BiFunction<M, Instant, String> text) {}

  public static <M> Columns<M> of(String head, int width, Function<M, String> text) {
    return new Columns<M>(List.of()).add(head, width, text);
  }

  public Columns<M> add(String head, int width, Function<M, String> text) {
    return addAged(head, width, (item, _) -> text.apply(item));
  }

  /** Adds a column that shows an age. */
  public Columns<M> addAged(String head, int width, BiFunction<M, Instant, String> text) {
    return new Columns<>(
        Stream.concat(columns.stream(), Stream.of(new Column<>(head, width, text))).toList());
  }

  /** Returns the items as a table. */
  public List<String> lines(List<M> items, Instant now) {
    var table =
        Table.ofWidths(
            columns.stream()
                .map(column -> new Table.Column(column.head(), column.width()))
                .toArray(Table.Column[]::new));
    for (var item : items) {
      table.add(
          columns.stream().map(column -> column.text().apply(item, now)).toArray(String[]::new));
    }
    return table.lines();
  }
}
