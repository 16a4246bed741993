package dev.hapax.client;

import org.jspecify.annotations.Nullable;

/** What a start needs of a workflow. */
interface Startable<I extends @Nullable Object, O extends @Nullable Object> {
  String name();

  String version();

  Codec<I> inputCodec();

  Codec<O> outputCodec();
}
