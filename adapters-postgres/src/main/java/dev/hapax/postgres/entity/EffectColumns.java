package dev.hapax.postgres.entity;

import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** An after-effect in three columns; a plain one has its name only. */
record EffectColumns(Field<String> name, Field<String> definition, Field<String> version) {
  static @Nullable String name(ActionGrant grant) {
    return grant.transition().effect().map(Effect::name).orElse(null);
  }

  static @Nullable String definition(ActionGrant grant) {
    return unlessPlain(grant, Effect::definition);
  }

  static @Nullable String version(ActionGrant grant) {
    return unlessPlain(grant, Effect::version);
  }

  private static @Nullable String unlessPlain(ActionGrant grant, Function<Effect, String> part) {
    return grant.transition().effect().filter(effect -> !effect.isPlain()).map(part).orElse(null);
  }

  Optional<Effect> read(Row row) throws SQLException {
    var known = row.optionalText(name);
    var follows = row.optionalText(definition);
    return known.isEmpty() || follows.isEmpty()
        ? known.map(Effect::plain)
        : Optional.of(new Effect(known.get(), follows.get(), row.text(version)));
  }
}
