package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JWSAlgorithm;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.LineFile;
import dev.hapax.domain.security.JwtClaimGrant;
import dev.hapax.domain.security.JwtClaimPath;
import dev.hapax.domain.security.JwtRules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a file with trusted issuers; each begins with the line {@code issuer = NAME}. */
public final class TokenIssuersFile {
  private static final String ISSUER = "issuer";
  private static final String AUDIENCE = "audience";
  private static final String JWKS = "jwks";
  private static final String ALGORITHMS = "algorithms";
  private static final String TYPES = "types";
  private static final String PRINCIPAL = "principal";
  private static final String PREFIX = "principal-prefix";
  private static final String CLAIM = "claim ";
  private static final Set<String> ONCE = Set.of(JWKS, ALGORITHMS, TYPES, PRINCIPAL, PREFIX);

  private static final String DEFAULT_ALGORITHMS = "RS256,ES256,PS256";
  private static final String DEFAULT_TYPES = "at+jwt,JWT";
  private static final String DEFAULT_PRINCIPAL = "sub";
  private static final String NO_TYPE = "none";

  private static final Map<String, JWSAlgorithm> SUPPORTED =
      List.of(
              JWSAlgorithm.RS256,
              JWSAlgorithm.RS384,
              JWSAlgorithm.RS512,
              JWSAlgorithm.PS256,
              JWSAlgorithm.PS384,
              JWSAlgorithm.PS512,
              JWSAlgorithm.ES256,
              JWSAlgorithm.ES384,
              JWSAlgorithm.ES512)
          .stream()
          .collect(
              Collectors.toMap(
                  JWSAlgorithm::getName, Function.identity(), (one, _) -> one, TreeMap::new));

  private record Entry(int line, String key, String value) {}

  private final LineFile file;
  private final List<String> problems = new ArrayList<>();

  private TokenIssuersFile(LineFile file) {
    this.file = file;
  }

  /** Reads all issuers, or reports every problem with its line. */
  public static List<TokenIssuer> read(Path path) throws ConfigurationException {
    var reader = new TokenIssuersFile(LineFile.read(path));
    var issuers = reader.issuers();
    if (!reader.problems.isEmpty()) {
      throw new ConfigurationException(reader.problems);
    }
    return issuers;
  }

  private List<TokenIssuer> issuers() {
    var blocks = new ArrayList<List<Entry>>();
    for (var line : file.lines()) {
      var entry = entry(line);
      if (entry.key().equals(ISSUER)) {
        blocks.add(new ArrayList<>());
      }
      if (blocks.isEmpty()) {
        problem(entry, "must follow a line 'issuer = NAME'");
      } else {
        blocks.getLast().add(entry);
      }
    }
    if (file.lines().isEmpty()) {
      problems.add("the file %s has no issuer".formatted(file.path()));
    }
    requireDistinct(blocks);
    return blocks.stream().flatMap(block -> issuer(block).stream()).toList();
  }

  private static Entry entry(LineFile.Line line) {
    var equals = line.text().indexOf('=');
    return equals < 0
        ? new Entry(line.number(), line.text(), "")
        : new Entry(
            line.number(),
            line.text().substring(0, equals).strip(),
            line.text().substring(equals + 1).strip());
  }

  /** No principal of one issuer may have the name of one of another. */
  private void requireDistinct(List<List<Entry>> blocks) {
    var names = new HashSet<String>();
    var prefixes = new ArrayList<String>();
    for (var block : blocks) {
      var start = block.getFirst();
      if (!names.add(start.value())) {
        problem(start, "issuer '%s' is listed twice".formatted(start.value()));
      }
      var prefix = single(block, PREFIX).map(Entry::value).orElse("");
      if (prefixes.stream().anyMatch(each -> each.startsWith(prefix) || prefix.startsWith(each))) {
        problem(
            start,
            "several issuers need a principal-prefix each, none of which begins with another");
      }
      prefixes.add(prefix);
    }
  }

  private Optional<TokenIssuer> issuer(List<Entry> block) {
    var before = problems.size();
    var start = block.getFirst();
    block.forEach(this::requireKnown);
    ONCE.forEach(key -> requireOnce(block, key));
    var keys =
        single(block, JWKS)
            .map(entry -> parsed(entry, KeyLocation::keySet))
            .orElseGet(() -> parsed(start, TokenIssuersFile::discovery));
    var algorithms = parsed(block, ALGORITHMS, DEFAULT_ALGORITHMS, TokenIssuersFile::algorithms);
    var types = parsed(block, TYPES, DEFAULT_TYPES, TokenIssuersFile::types);
    var principal = parsed(block, PRINCIPAL, DEFAULT_PRINCIPAL, JwtClaimPath::new);
    var audiences = all(block, AUDIENCE).map(Entry::value).collect(Collectors.toSet());
    if (audiences.isEmpty()) {
      problem(start, "issuer '%s' needs a line 'audience = NAME'".formatted(start.value()));
    }
    var grants =
        block.stream()
            .filter(entry -> entry.key().startsWith(CLAIM))
            .flatMap(entry -> parsed(entry, value -> grant(entry.key(), value)).stream())
            .toList();
    if (problems.size() > before) {
      return Optional.empty();
    }
    var prefix = single(block, PREFIX).map(Entry::value).orElse("");
    var rules = new JwtRules(start.value(), audiences, principal.orElseThrow(), prefix, grants);
    return Optional.of(
        new TokenIssuer(rules, keys.orElseThrow(), algorithms.orElseThrow(), types.orElseThrow()));
  }

  private void requireKnown(Entry entry) {
    var known = Set.of(ISSUER, AUDIENCE).contains(entry.key()) || ONCE.contains(entry.key());
    if (!known && !entry.key().startsWith(CLAIM)) {
      problem(
          entry,
          "unknown key '%s'; known are issuer, audience, jwks, algorithms, types, principal,"
                  .formatted(entry.key())
              + " principal-prefix and 'claim PATH'");
    } else if (entry.value().isEmpty()) {
      problem(entry, "%s needs a value: KEY = VALUE".formatted(entry.key()));
    }
  }

  private void requireOnce(List<Entry> block, String key) {
    all(block, key).skip(1).forEach(entry -> problem(entry, key + " is listed twice"));
  }

  private static KeyLocation discovery(String issuer) {
    try {
      return KeyLocation.discovery(issuer);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s, or the issuer needs a line 'jwks = URL'".formatted(e.getMessage()), e);
    }
  }

  private static Set<JWSAlgorithm> algorithms(String text) {
    return words(text).stream()
        .map(
            name ->
                Optional.ofNullable(SUPPORTED.get(name))
                    .orElseThrow(
                        () ->
                            new IllegalArgumentException(
                                "must be some of %s (was '%s')"
                                    .formatted(String.join(", ", SUPPORTED.keySet()), name))))
        .collect(Collectors.toSet());
  }

  private static Set<String> types(String text) {
    return words(text).stream()
        .map(type -> type.equals(NO_TYPE) ? "" : type.toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }

  private static JwtClaimGrant grant(String key, String value) {
    return JwtClaimGrant.parse(new JwtClaimPath(key.substring(CLAIM.length()).strip()), value);
  }

  private <T> Optional<T> parsed(
      List<Entry> block, String key, String fallback, Function<String, T> parser) {
    var entry = single(block, key);
    return entry.isPresent() ? parsed(entry.get(), parser) : Optional.of(parser.apply(fallback));
  }

  private <T> Optional<T> parsed(Entry entry, Function<String, T> parser) {
    try {
      return Optional.of(parser.apply(entry.value()));
    } catch (IllegalArgumentException e) {
      problem(entry, entry.key() + " " + e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<Entry> single(List<Entry> block, String key) {
    return all(block, key).findFirst();
  }

  private static Stream<Entry> all(List<Entry> block, String key) {
    return block.stream().filter(entry -> entry.key().equals(key));
  }

  private void problem(Entry entry, String what) {
    problems.add(file.problem(entry.line(), what));
  }
}
