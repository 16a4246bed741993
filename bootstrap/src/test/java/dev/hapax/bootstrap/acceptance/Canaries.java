package dev.hapax.bootstrap.acceptance;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Secrets with a random part, which no output may show. */
final class Canaries {
  private final List<Canary> all = new CopyOnWriteArrayList<>();

  private record Canary(String name, String secret) {}

  /** A new secret. */
  String make(String name) {
    var secret = "canary" + UUID.randomUUID().toString().replace("-", "");
    all.add(new Canary(name, secret));
    return secret;
  }

  ApiKey add(ApiKey key) {
    all.add(new Canary("API key " + key.id(), key.secret()));
    return key;
  }

  /** A secret that the test has. */
  String add(String name, String secret) {
    all.add(new Canary(name, secret));
    return secret;
  }

  /** A claim that the server made; what is behind its prefix must not be shown. */
  Claim add(Claim claim) {
    var id = claim.getId();
    all.add(new Canary("claim", id.substring(id.indexOf('_') + 1)));
    return claim;
  }

  /** The lines of a secret file. */
  Path addLines(String name, Path file) throws IOException {
    try (var lines = Files.lines(file)) {
      lines
          .filter(line -> !line.startsWith("-----"))
          .forEach(line -> all.add(new Canary(name, line)));
    }
    return file;
  }

  int size() {
    return all.size();
  }

  /** Describes each line that shows a secret, by the name of its output. */
  List<String> find(Map<String, List<String>> outputs) {
    return outputs.entrySet().stream()
        .flatMap(output -> output.getValue().stream().flatMap(line -> find(output.getKey(), line)))
        .toList();
  }

  private Stream<String> find(String output, String line) {
    return all.stream()
        .filter(canary -> line.contains(canary.secret()))
        .map(canary -> "%s in %s: %s".formatted(canary.name(), output, line));
  }
}
