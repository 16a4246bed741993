package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunStartResult;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.grpc.call.CanonicalJson;
import dev.hapax.v1.StartRunRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Computes the fingerprint that the starts of one idempotency key must share: 64 bits of the hash
 * of all fields, and 16 bits of each field that the run does not have, so that an error can name
 * the fields that differ.
 */
public final class StartFingerprint {
  /** The fields that starts of one key may differ in. */
  public static final List<String> FIELDS =
      List.of(
          "definition", "definition_version", "input", "labels", "fingerprint", "hooks", "signal");

  /** Those of which the fingerprint has bits, in their order. */
  private static final List<String> PARTS =
      List.of("definition_version", "fingerprint", "hooks", "signal");

  private static final int PART_BITS = Short.SIZE;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private StartFingerprint() {}

  /**
   * The fingerprint of a request.
   *
   * @param input counts unless the caller sent a fingerprint
   * @param signal counts without its id, which a client may draw for each call
   */
  static Fingerprint of(
      StartRunRequest request, Payload input, List<Wanted> hooks, Optional<NewSignal> signal) {
    var isSent = !request.getFingerprint().isEmpty();
    return of(
        request.getDefinition(),
        request.getDefinitionVersion(),
        isSent ? Optional.empty() : Optional.of(input),
        isSent ? sent(request).hash().toString() : "",
        hooks,
        request.getLabelsMap(),
        signal);
  }

  /**
   * The fingerprint of a start without one of its caller.
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
    return of(definition, version, Optional.of(input), "", hooks, labels, signal);
  }

  private static Fingerprint of(
      String definition,
      String version,
      Optional<Payload> input,
      String sent,
      List<Wanted> hooks,
      Map<String, String> labels,
      Optional<NewSignal> signal) {
    var parts =
        Stream.<Consumer<StartFingerprint>>of(
                part -> part.add(version),
                part -> part.add(sent),
                part -> hooks.forEach(part::addHook),
                part -> signal.ifPresent(part::addSignal))
            .map(StartFingerprint::bytes)
            .toList();
    var all =
        bytes(
            start -> {
              start.add(definition);
              input.ifPresent(start::add);
              start.addLabels(labels);
              parts.forEach(start::add);
            });
    long bits = 0;
    for (var part : parts) {
      bits =
          (bits << PART_BITS)
              | (Digest.sha256(part).getMostSignificantBits() >>> (Long.SIZE - PART_BITS));
    }
    return new Fingerprint(new UUID(Digest.sha256(all).getMostSignificantBits(), bits));
  }

  private static byte[] bytes(Consumer<StartFingerprint> content) {
    var part = new StartFingerprint();
    content.accept(part);
    return part.bytes.toByteArray();
  }

  private static Fingerprint sent(StartRunRequest request) {
    return Fingerprint.of(request.getFingerprint().toByteArray());
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
    bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    bytes.writeBytes(part);
  }

  /** The fields that differ; all that a start has, if the run is gone. */
  static List<String> mismatches(
      StartRunRequest request, Payload input, RunStartResult.KeyReused reused) {
    if (reused.found().isEmpty()) {
      return FIELDS;
    }
    var run = reused.found().get();
    var differing = new HashSet<>(differingParts(reused.started(), reused.sent()));
    if (!run.definition().id().name().equals(request.getDefinition())) {
      differing.add("definition");
    }
    if (request.getFingerprint().isEmpty() && !isSame(input, run.origin().input())) {
      differing.add("input");
    }
    if (!run.origin().labels().equals(request.getLabelsMap())) {
      differing.add("labels");
    }
    // the bits of two different values are equal in one of 65,536 cases
    return differing.isEmpty() ? PARTS : FIELDS.stream().filter(differing::contains).toList();
  }

  private static List<String> differingParts(Fingerprint one, Fingerprint other) {
    var bits = one.hash().getLeastSignificantBits() ^ other.hash().getLeastSignificantBits();
    return IntStream.range(0, PARTS.size())
        .filter(i -> (short) (bits >>> (PART_BITS * (PARTS.size() - 1 - i))) != 0)
        .mapToObj(PARTS::get)
        .toList();
  }

  private static boolean isSame(Payload one, Payload other) {
    if (one instanceof Payload.Json(var text) && other instanceof Payload.Json(var otherText)) {
      return CanonicalJson.of(text).equals(CanonicalJson.of(otherText));
    }
    return one.equals(other);
  }
}
