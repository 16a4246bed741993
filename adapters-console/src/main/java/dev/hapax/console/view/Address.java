package dev.hapax.console.view;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

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

  /** The address of a page in a workspace; each segment is encoded. */
  public static Address of(String workspace, String... segments) {
    var path = Arrays.stream(segments).map(Address::encoded).collect(Collectors.joining("/"));
    return new Address("/w/" + encoded(workspace) + "/" + path, List.of());
  }

  /** The address of the page of a run. */
  public static Address ofRun(String workspace, String run) {
    return of(workspace, "runs", run);
  }

  /** The address of the page of an entity. */
  public static Address ofEntity(String workspace, String lifecycle, String entity) {
    return of(workspace, "entities", lifecycle, entity);
  }

  /** The same with a field more; an empty value adds none. */
  public Address with(String name, String value) {
    if (value.isEmpty()) {
      return this;
    }
    var more = new ArrayList<>(query);
    more.add(name + "=" + encoded(value));
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

  /** Encodes a text for a segment of a path or a value of a query. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
