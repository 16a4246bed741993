package dev.hapax.client.internal;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A paged list, loaded as it is read. */
public final class Pages<R, T> implements Iterator<T> {

  public static final int SIZE = 500;

  private final Function<String, R> load;
  private final Function<R, List<T>> items;
  private final Function<R, String> next;
  private Iterator<T> page = List.<T>of().iterator();
  private String token = "";
  private boolean last;

  private Pages(Function<String, R> load, Function<R, List<T>> items, Function<R, String> next) {
    this.load = load;
    this.items = items;
    this.next = next;
  }

  /**
   * All items.
   *
   * @param load loads the page with this token
   * @param next the token of the next page; empty = there is none
   */
  public static <R, T> Stream<T> all(
      Function<String, R> load, Function<R, List<T>> items, Function<R, String> next) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(
            new Pages<>(load, items, next), Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  @Override
  public boolean hasNext() {
    while (!page.hasNext() && !last) {
      R loaded = load.apply(token);
      page = items.apply(loaded).iterator();
      token = next.apply(loaded);
      last = token.isEmpty();
    }
    return page.hasNext();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return page.next();
  }
}
