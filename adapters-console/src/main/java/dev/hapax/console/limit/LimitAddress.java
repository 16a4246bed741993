package dev.hapax.console.limit;

import dev.hapax.console.view.Address;
import dev.hapax.console.web.Fields;

/**
 * A limit in an address. Name and value are read without a change: spaces belong to them, and an
 * empty value stands for all.
 *
 * @param name empty = none
 */
record LimitAddress(boolean ofDefinitions, String name, String value) {
  private static final String OF = "of";
  private static final String DEFINITIONS = "definitions";
  private static final String NAME = "name";
  private static final String VALUE = "key";

  static LimitAddress read(Fields query) {
    return new LimitAddress(
        query.exact(OF).equals(DEFINITIONS), query.exact(NAME), query.exact(VALUE));
  }

  /** The limit whose name and value a visitor has typed. */
  LimitAddress typed(Fields form) {
    return new LimitAddress(ofDefinitions, form.text(NAME), form.text(VALUE));
  }

  /** The page of the values of this limit. */
  Address list(String workspace) {
    return Address.of(workspace, "limits").with(NAME, name);
  }

  String href(String workspace, LimitVerb verb) {
    return Address.of(workspace, "limits", verb.word())
        .with(NAME, name)
        .with(VALUE, value)
        .with(OF, ofDefinitions ? DEFINITIONS : "")
        .href();
  }
}
