package dev.hapax.postgres.run;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Optional;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The signal filter of a step in two columns: a text and its kind. */
final class FilterColumns {
  private static final short HOOK = 1;
  private static final short HOOK_NAME = 2;
  private static final short HOOK_NAME_AND_TYPE = 3;

  /** No name has a control character. */
  private static final String SEPARATOR = "\n";

  private FilterColumns() {}

  static @Nullable String text(Optional<SignalFilter> filter) {
    return filter.map(FilterColumns::text).orElse(null);
  }

  /** The empty type stands for any signal. */
  private static String text(SignalFilter filter) {
    return switch (filter) {
      case SignalFilter.Any() -> "";
      case SignalFilter.OfType(var type) -> type;
      case SignalFilter.OfHook(var hook) -> hook.text();
      case SignalFilter.OfHookName(var name, var type) ->
          type.map(of -> name + SEPARATOR + of).orElse(name);
    };
  }

  static @Nullable Short kind(Optional<SignalFilter> filter) {
    return filter.map(FilterColumns::kind).orElse(null);
  }

  private static @Nullable Short kind(SignalFilter filter) {
    return switch (filter) {
      case SignalFilter.Any(), SignalFilter.OfType _ -> null;
      case SignalFilter.OfHook _ -> HOOK;
      case SignalFilter.OfHookName(_, var type) ->
          type.isPresent() ? HOOK_NAME_AND_TYPE : HOOK_NAME;
    };
  }

  static Optional<SignalFilter> read(Row row, Field<String> text, Field<Short> kind)
      throws SQLException {
    var found = row.optionalText(text);
    return found.isEmpty() ? Optional.empty() : Optional.of(filter(found.get(), row, kind));
  }

  private static SignalFilter filter(String text, Row row, Field<Short> kind) throws SQLException {
    var code = row.optionalNumber(kind);
    if (code.isEmpty()) {
      return text.isEmpty() ? new SignalFilter.Any() : new SignalFilter.OfType(text);
    }
    return switch (code.get().intValue()) {
      case HOOK -> new SignalFilter.OfHook(new HookFingerprint(text));
      case HOOK_NAME -> new SignalFilter.OfHookName(text);
      case HOOK_NAME_AND_TYPE -> {
        var end = text.indexOf(SEPARATOR);
        yield new SignalFilter.OfHookName(
            text.substring(0, end), Optional.of(text.substring(end + SEPARATOR.length())));
      }
      default -> throw new IllegalStateException("no filter has the code " + code.get());
    };
  }
}
