package dev.hapax.postgres.lifecycle;

import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.postgres.json.StoredJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Lifecycles with everything they can have. */
public final class LifecycleSamples {
  private static final List<String> PIECES =
      List.of(
          "a", "Z", "0", " ", "\"", "\\", "/", "~", "'", "ü", "\u2028", "\uFFFD", "\uD83D\uDE00");

  private final Random random;
  private final List<String> statuses = new ArrayList<>();

  /** Claim states, and where each goes back to. */
  private final Map<String, String> claims = new LinkedHashMap<>();

  private LifecycleSamples(Random random) {
    this.random = random;
  }

  public static Lifecycle read(String text) {
    var read = LifecycleReader.read(Document.of(StoredJson.parse(text)));
    return read.lifecycle().orElseThrow(() -> new IllegalStateException("" + read.violations()));
  }

  /** One that no rule refuses. */
  public static Lifecycle random(Random random) {
    var document = new LifecycleSamples(random).document();
    var read = LifecycleReader.read(Document.of(document));
    return read.lifecycle().orElseThrow(() -> new IllegalStateException("" + read.violations()));
  }

  private Json document() {
    var names = new LinkedHashSet<String>();
    while (names.size() < 7) {
      names.add(name());
    }
    var all = List.copyOf(names);
    statuses.addAll(all.subList(0, 4));
    all.subList(4, 7).forEach(claim -> claims.put(claim, any(statuses)));
    var members = new LinkedHashMap<String, Json>();
    members.put("lifecycle", new Json.Str(name() + Integer.toHexString(random.nextInt())));
    members.put("module", new Json.Str(name()));
    sometimes(() -> members.put("entity", new Json.Str(name())));
    members.put("status_types", StoredJson.strings(all));
    var steps = new ArrayList<Json>();
    for (var i = random.nextInt(6); i > 0; i--) {
      steps.add(step(i));
    }
    members.put("steps", new Json.Array(steps));
    sometimes(() -> members.put("after_effects", effects()));
    sometimes(() -> members.put("x_" + name(), new Json.Array(List.of(new Json.Str(name())))));
    sometimes(
        () -> members.put("non_idempotent_actions", StoredJson.strings(List.of("no action"))));
    return new Json.Obj(members);
  }

  private Json step(int number) {
    var from = any(statuses);
    var members = new LinkedHashMap<String, Json>();
    sometimes(() -> members.put("step_id", new Json.Num("" + number)));
    sometimes(() -> members.put("description", new Json.Str(name())));
    members.put("step_key", new Json.Str(number + name()));
    members.put("status", new Json.Str(from));
    members.put("successful_state", perRequester(() -> new Json.Str(any(statuses))));
    sometimes(() -> members.put("claim_state", perRequester(this::claim)));
    sometimes(() -> members.put("action", perRequester(() -> new Json.Str(name()))));
    sometimes(() -> members.put("success_after_effect", perRequester(() -> new Json.Str(name()))));
    return new Json.Obj(members);
  }

  private Json effects() {
    var members = new LinkedHashMap<String, Json>();
    sometimes(() -> members.put(name(), Json.Obj.EMPTY));
    sometimes(() -> members.put(name(), new Json.Obj(Map.of("lease", new Json.Str("1h30m250ms")))));
    sometimes(
        () ->
            members.put(
                name(),
                new Json.Obj(
                    Map.of(
                        "definition", new Json.Str(name()),
                        "definition_version", new Json.Str(name())))));
    return new Json.Obj(members);
  }

  private Json claim() {
    var into = any(List.copyOf(claims.keySet()));
    return StoredJson.strings(List.of(into, claims.getOrDefault(into, "")));
  }

  /** For all, or for some, or for none. */
  private Json perRequester(Supplier<Json> value) {
    if (random.nextInt(3) == 0) {
      return value.get();
    }
    var members = new LinkedHashMap<String, Json>();
    for (var i = random.nextInt(4); i > 0; i--) {
      members.put(name(), random.nextInt(5) == 0 ? new Json.Null() : value.get());
    }
    return new Json.Obj(members);
  }

  private void sometimes(Runnable what) {
    if (random.nextBoolean()) {
      what.run();
    }
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private String name() {
    var name = new StringBuilder();
    for (var i = 1 + random.nextInt(random.nextInt(20) == 0 ? 60 : 8); i > 0; i--) {
      name.append(any(PIECES));
    }
    return name.toString();
  }
}
