package dev.hapax.grpc.run;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.Run;
import dev.hapax.grpc.call.CanonicalJson;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.v1.StartRunRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Computes the fingerprint that the starts of one idempotency key must share. */
public final class StartFingerprint {
  /** The fields that starts of one key may differ in. */
  public static final List<String> FIELDS =
      List.of(
          "definition", "definition_version", "input", "labels", "fingerprint", "hooks", "signal");

  /** Those that may differ although no compared field does: a version that one start omits, too. */
  private static final List<String> UNCOMPARED =
      List.of("definition_version", "fingerprint", "hooks", "signal");

  private final ByteArrayOutputStream parts = new ByteArrayOutputStream();

  private StartFingerprint() {}

  /**
   * The fingerprint of a request.
   *
   * @param input counts unless the caller sent a fingerprint
   * @param signal counts without its id, which a client may draw for each call
   */
  static Fingerprint of(
      StartRunRequest request, Payload input, List<Wanted> hooks, Optional<NewSignal> signal) {
    var start = new StartFingerprint();
    start.add(request.getDefinition());
    start.add(request.getDefinitionVersion());
    if (request.getFingerprint().isEmpty()) {
      start.add(input);
    } else {
      start.add("fingerprint");
      start.add(sent(request).hash().toString());
    }
    return start.with(hooks, request.getLabelsMap(), signal);
  }

  /**
   * The fingerprint of a start without a request.
   *
   * @param version of the definition; empty = the latest
   */
  public static Fingerprint of(
      String definition,
      String version,
      Payload input,
      List<Wanted> hooks,
      Map<String, String> labels,
      Optional<NewSignal> signal) {
    var start = new StartFingerprint();
    start.add(definition);
    start.add(version);
    start.add(input);
    return start.with(hooks, labels, signal);
  }

  private Fingerprint with(
      List<Wanted> hooks, Map<String, String> labels, Optional<NewSignal> signal) {
    hooks.forEach(this::addHook);
    addLabels(labels);
    signal.ifPresent(this::addSignal);
    return new Fingerprint(Digest.sha256(parts.toByteArray()));
  }

  /** Rejects a fingerprint that is too long, also without an idempotency key. */
  static void check(StartRunRequest request) {
    var _ = sent(request);
  }

  private static Fingerprint sent(StartRunRequest request) {
    return FieldReader.read("fingerprint", request.getFingerprint().toByteArray(), Fingerprint::of);
  }

  /** Adds the hash of the token: an intent does not have the token itself. */
  private void addHook(Wanted hook) {
    add("hook");
    add(hook.hook().hash().toString());
    add(hook.retention().toString());
    add(hook.name());
  }

  private void addLabels(Map<String, String> labels) {
    new TreeMap<>(labels)
        .forEach(
            (name, value) -> {
              add("label");
              add(name);
              add(value);
            });
  }

  private void addSignal(NewSignal signal) {
    add("signal");
    add(signal.type());
    signal.payload().ifPresent(this::add);
  }

  private void add(Payload payload) {
    switch (payload) {
      case Payload.Json(var text) -> {
        add("json");
        add(CanonicalJson.of(text));
      }
      case Payload.Binary binary -> {
        add("binary");
        add(binary.bytes());
      }
    }
  }

  /** Adds UTF-16 units: JSON can escape an unpaired surrogate, which UTF-8 cannot encode. */
  private void add(String part) {
    var characters = ByteBuffer.allocate(part.length() * Character.BYTES);
    characters.asCharBuffer().put(part);
    add(characters.array());
  }

  /** Adds the length first, so that different lists of parts have different bytes. */
  private void add(byte[] part) {
    parts.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    parts.writeBytes(part);
  }

  /** The fields that differ from those of the run, or else those that may. */
  static List<String> mismatches(StartRunRequest request, Payload input, Run run) {
    var fields = new ArrayList<String>();
    var definition = run.definition().id();
    if (!definition.name().equals(request.getDefinition())) {
      fields.add("definition");
    } else if (!request.getDefinitionVersion().isEmpty()
        && !definition.version().equals(request.getDefinitionVersion())) {
      fields.add("definition_version");
    }
    if (request.getFingerprint().isEmpty() && !isSame(input, run.origin().input())) {
      fields.add("input");
    }
    if (!run.origin().labels().equals(request.getLabelsMap())) {
      fields.add("labels");
    }
    return fields.isEmpty() ? UNCOMPARED : fields;
  }

  private static boolean isSame(Payload one, Payload other) {
    if (one instanceof Payload.Json(var text) && other instanceof Payload.Json(var otherText)) {
      return CanonicalJson.of(text).equals(CanonicalJson.of(otherText));
    }
    return one.equals(other);
  }
}
