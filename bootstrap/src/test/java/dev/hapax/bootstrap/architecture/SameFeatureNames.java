package dev.hapax.bootstrap.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Inside a module packages are features, and a feature has the same name everywhere: that of its
 * package in the domain. What serves every feature is listed here.
 */
final class SameFeatureNames extends ArchCondition<JavaClass> {
  private static final String DOMAIN = "domain";
  private static final Map<String, Set<String>> MECHANISMS =
      Map.of(
          "application", Set.of("waiting"),
          "grpc", Set.of("call", "quota", "server", "tls", "trace"),
          "postgres", Set.of("read", "restore", "schema"));

  private final String root;
  private final Map<String, Set<String>> features = new HashMap<>();

  SameFeatureNames(String root) {
    super("be in a package with the name of its feature in the domain");
    this.root = root;
  }

  @Override
  public void init(Collection<JavaClass> all) {
    for (var each : all) {
      var module = segment(each, 0).orElseThrow();
      segment(each, 1).ifPresent(feature -> of(module).add(feature));
    }
    MECHANISMS.forEach((module, mechanisms) -> of(module).removeAll(mechanisms));
  }

  @Override
  public void check(JavaClass subject, ConditionEvents events) {
    var feature = segment(subject, 1);
    var module = segment(subject, 0).orElseThrow();
    var isUnknown =
        feature.isPresent()
            && of(module).contains(feature.get())
            && !of(DOMAIN).contains(feature.get());
    if (isUnknown) {
      events.add(
          SimpleConditionEvent.violated(
              subject, subject.getName() + " is in a package no feature of the domain has"));
    }
  }

  @Override
  public void finish(ConditionEvents events) {
    for (var feature : of("application")) {
      for (var module : List.of(DOMAIN, "grpc", "postgres")) {
        if (!of(module).contains(feature)) {
          events.add(
              SimpleConditionEvent.violated(
                  feature, "the feature %s has no package in %s".formatted(feature, module)));
        }
      }
    }
  }

  private Set<String> of(String module) {
    return features.computeIfAbsent(module, _ -> new TreeSet<>());
  }

  /** Of the package below the root: 0 is the module, 1 the feature. */
  private Optional<String> segment(JavaClass subject, int index) {
    var segments = subject.getPackageName().substring(root.length() + 1).split("\\.", -1);
    return index < segments.length ? Optional.of(segments[index]) : Optional.empty();
  }
}
