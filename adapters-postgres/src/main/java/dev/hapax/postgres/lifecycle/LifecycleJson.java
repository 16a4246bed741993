package dev.hapax.postgres.lifecycle;

import dev.hapax.domain.json.Json;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.domain.lifecycle.LifecycleWriter;
import dev.hapax.postgres.json.StoredJson;

/** A lifecycle as JSON text, in the form of its source document. */
final class LifecycleJson {
  private LifecycleJson() {}

  static String print(Lifecycle lifecycle) {
    return StoredJson.print(LifecycleWriter.write(lifecycle));
  }

  static Lifecycle parse(String text) {
    return LifecycleReader.readAgain((Json.Obj) StoredJson.parse(text));
  }
}
