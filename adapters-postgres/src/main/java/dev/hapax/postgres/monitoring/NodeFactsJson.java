package dev.hapax.postgres.monitoring;

import dev.hapax.domain.json.Json;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.monitoring.NodeFacts.Expiry;
import dev.hapax.domain.monitoring.NodeFacts.KeyCopy;
import dev.hapax.postgres.json.StoredJson;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What servers report of themselves, as JSON text. Other versions may report less or more. */
public final class NodeFactsJson {
  private static final String COMMITTERS = "committers";
  private static final String API_KEYS = "api_keys";
  private static final String API_KEYS_READ_AT = "api_keys_read_at";
  private static final String CLOCK_OFFSET = "clock_offset";
  private static final String CERTIFICATES = "certificates";

  private NodeFactsJson() {}

  public static String print(NodeFacts facts) {
    var members = new LinkedHashMap<String, Json>();
    members.put(COMMITTERS, number(facts.committers()));
    facts
        .keys()
        .ifPresent(
            keys -> {
              members.put(API_KEYS, number(keys.number()));
              members.put(API_KEYS_READ_AT, new Json.Str(keys.readAt().toString()));
            });
    members.put(CLOCK_OFFSET, new Json.Str(facts.clockOffset().toString()));
    var certificates = new LinkedHashMap<String, Json>();
    facts
        .certificates()
        .forEach(each -> certificates.put(each.use(), new Json.Str(each.at().toString())));
    members.put(CERTIFICATES, new Json.Obj(certificates));
    return StoredJson.print(new Json.Obj(members));
  }

  private static Json number(int number) {
    return new Json.Num(Integer.toString(number));
  }

  static NodeFacts read(String text) {
    var members = ((Json.Obj) StoredJson.parse(text)).members();
    return new NodeFacts(
        integer(members, COMMITTERS),
        text(members, API_KEYS_READ_AT)
            .map(at -> new KeyCopy(integer(members, API_KEYS), Instant.parse(at))),
        text(members, CLOCK_OFFSET).map(Duration::parse).orElse(Duration.ZERO),
        certificates(members));
  }

  private static int integer(Map<String, Json> members, String name) {
    return members.get(name) instanceof Json.Num(var number) ? Integer.parseInt(number) : 0;
  }

  private static Optional<String> text(Map<String, Json> members, String name) {
    return Optional.ofNullable(members.get(name)).map(StoredJson::string);
  }

  private static List<Expiry> certificates(Map<String, Json> members) {
    return members.get(CERTIFICATES) instanceof Json.Obj(var certificates)
        ? certificates.entrySet().stream()
            .map(
                each ->
                    new Expiry(each.getKey(), Instant.parse(StoredJson.string(each.getValue()))))
            .toList()
        : List.of();
  }
}
