package dev.hapax.grpc.definition;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Page;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionReads.Position;
import dev.hapax.domain.definition.DefinitionReads.Query;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListDefinitionsResponse;
import java.nio.ByteBuffer;
import java.time.Instant;

/** Decodes and encodes ListDefinitions. */
final class DefinitionPages {
  /** The start of the year 10000. */
  private static final long MAX_SECONDS = 253_402_300_800L;

  private static final int NANOS = 1_000_000_000;

  private DefinitionPages() {}

  static Query query(ListDefinitionsRequest request) {
    return new Query(
        FieldReader.workspace(request.getWorkspace()),
        FieldReader.optional(request.getName()),
        Page.size(request.getPageSize()),
        PageTokens.position(request.getPageToken(), DefinitionPages::position));
  }

  static ListDefinitionsResponse page(Page<Definition, Position> page) {
    var response = ListDefinitionsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            DefinitionEncoding::summary,
            (definition, summary) ->
                response.addDefinitions(summary).setNextPageToken(token(definition)));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  private static String token(Definition definition) {
    var names = LengthPrefixedNames.names(definition.id().name(), definition.id().version());
    var registeredAt = Durations.encode(definition.registeredAt());
    return PageTokens.token(
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + names.length)
            .putLong(registeredAt.getSeconds())
            .putInt(registeredAt.getNanos())
            .put(names));
  }

  private static Position position(ByteBuffer token) {
    var seconds = token.getLong();
    var nanos = token.getInt();
    if (seconds < 0 || seconds > MAX_SECONDS || nanos < 0 || nanos >= NANOS) {
      throw new InvalidValueException("has an invalid time");
    }
    return new Position(
        Instant.ofEpochSecond(seconds, nanos),
        LengthPrefixedNames.name(token),
        LengthPrefixedNames.name(token));
  }
}
