package dev.hapax.console.view;

import java.util.ArrayList;
import java.util.List;

/**
 * The address of a page with the fields of its query.
 *
 * @param path the path, encoded
 * @param query the fields, encoded
 */
public record Address(String path, List<String> query) {
  public Address {
    query = List.copyOf(query);
  }

  public static Address of(String workspace, String... segments) {
    return new Address(Href.of(workspace, segments), List.of());
  }

  /** The same with a field more; an empty value adds none. */
  public Address with(String name, String value) {
    if (value.isEmpty()) {
      return this;
    }
    var more = new ArrayList<>(query);
    more.add(name + "=" + Href.encoded(value));
    return new Address(path, more);
  }

  /** The same with a field for each value. */
  public Address with(String name, List<String> values) {
    var address = this;
    for (var value : values) {
      address = address.with(name, value);
    }
    return address;
  }

  public String href() {
    return query.isEmpty() ? path : path + "?" + String.join("&", query);
  }
}
