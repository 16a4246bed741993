package dev.hapax.console.view;

import java.util.Optional;

/**
 * The way from one page of a list to others.
 *
 * @param first the address of the first page; empty = this is it
 * @param next the address of the next page; empty = this is the last one
 */
public record PageLinks(Optional<String> first, Optional<String> next) {
  /** The field of an address that says which page is shown. */
  public static final String FIELD = "page";

  /**
   * The links of a page of the API.
   *
   * @param list the list with its filter
   * @param token the token of this page; empty = the first one
   * @param nextToken the token of the next page; empty = none
   */
  public static PageLinks of(Address list, String token, String nextToken) {
    return of(list, FIELD, token, nextToken);
  }

  /** The same for one of several lists on a page, which has a field of its own. */
  public static PageLinks of(Address list, String field, String token, String nextToken) {
    return new PageLinks(
        Optional.of(list.href()).filter(_ -> !token.isEmpty()),
        Optional.of(list.with(field, nextToken).href()).filter(_ -> !nextToken.isEmpty()));
  }
}
