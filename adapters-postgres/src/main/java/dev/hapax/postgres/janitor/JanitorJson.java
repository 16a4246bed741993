package dev.hapax.postgres.janitor;

import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.json.Json;
import dev.hapax.postgres.json.StoredJson;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Contracts and demands of one module as JSON text. */
final class JanitorJson {
  private static final String CLAIM_STATES = "claim_states";
  private static final String ALL_CLAIM_STATES = "all_claim_states";
  private static final String RENEW_EVERY = "renew_every";
  private static final String STOP_AFTER = "stop_after";
  private static final String STALE_AFTER = "stale_after";
  private static final String EVERY = "every";
  private static final String MODE = "mode";

  private JanitorJson() {}

  static String print(JanitorContract contract) {
    var members = new LinkedHashMap<String, Json>();
    switch (contract.coverage()) {
      case ClaimStateCoverage.All _ -> members.put(ALL_CLAIM_STATES, new Json.Bool(true));
      case ClaimStateCoverage.Named(var states) -> members.put(CLAIM_STATES, strings(states));
    }
    members.put(RENEW_EVERY, time(contract.timing().renewEvery()));
    members.put(STOP_AFTER, time(contract.timing().stopAfter()));
    members.put(STALE_AFTER, time(contract.timing().staleAfter()));
    members.put(EVERY, time(contract.timing().every()));
    members.put(MODE, new Json.Str(contract.mode().name().toLowerCase(Locale.ROOT)));
    return StoredJson.print(new Json.Obj(members));
  }

  static JanitorContract contract(String module, String text) {
    var members = ((Json.Obj) StoredJson.parse(text)).members();
    return new JanitorContract(
        module,
        coverage(members),
        new JanitorTiming(
            time(member(members, RENEW_EVERY)),
            time(member(members, STOP_AFTER)),
            time(member(members, STALE_AFTER)),
            time(member(members, EVERY))),
        JanitorMode.valueOf(StoredJson.string(member(members, MODE)).toUpperCase(Locale.ROOT)));
  }

  private static ClaimStateCoverage coverage(Map<String, Json> members) {
    return members.containsKey(ALL_CLAIM_STATES)
        ? new ClaimStateCoverage.All()
        : new ClaimStateCoverage.Named(set(member(members, CLAIM_STATES)));
  }

  /** The claim states by lifecycle. */
  static String print(Map<String, RequiredClaimStates> demands) {
    var members = new LinkedHashMap<String, Json>();
    new TreeMap<>(demands)
        .forEach((lifecycle, demand) -> members.put(lifecycle, strings(demand.claimStates())));
    return StoredJson.print(new Json.Obj(members));
  }

  static Map<String, RequiredClaimStates> demands(String module, String text) {
    var demands = new HashMap<String, RequiredClaimStates>();
    ((Json.Obj) StoredJson.parse(text))
        .members()
        .forEach(
            (lifecycle, states) ->
                demands.put(lifecycle, new RequiredClaimStates(lifecycle, module, set(states))));
    return demands;
  }

  private static Json member(Map<String, Json> members, String name) {
    return Optional.ofNullable(members.get(name))
        .orElseThrow(() -> new IllegalStateException("a contract has no " + name));
  }

  private static Json strings(Collection<String> strings) {
    return StoredJson.strings(List.copyOf(strings));
  }

  private static Set<String> set(Json strings) {
    return Set.copyOf(StoredJson.strings(strings));
  }

  /** Durations are printed without loss, as ISO 8601. */
  private static Json time(Duration time) {
    return new Json.Str(time.toString());
  }

  private static Duration time(Json text) {
    return Duration.parse(StoredJson.string(text));
  }
}
