package dev.hapax.postgres.lifecycle;

import dev.hapax.domain.json.Json;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.domain.lifecycle.LifecycleWriter;
import dev.hapax.postgres.json.JsonText;

/** A lifecycle as JSON text, in the form in which people write it. */
final class LifecycleJson {
  private LifecycleJson() {}

  static String print(Lifecycle lifecycle) {
    return JsonText.print(LifecycleWriter.write(lifecycle));
  }

  static Lifecycle parse(String text) {
    return LifecycleReader.readAgain((Json.Obj) JsonText.parse(text));
  }
}
