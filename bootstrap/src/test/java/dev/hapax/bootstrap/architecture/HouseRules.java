package dev.hapax.bootstrap.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The rules of the house, for the packages below {@code root}. Whitelists wherever one can be
 * written: what is not thought of is then forbidden.
 *
 * @param root {@code dev.hapax}, or that of the fixture that breaks every rule
 */
record HouseRules(String root) {
  /** Every module is one package; {@code v1} and {@code test} are generated from the protos. */
  static final List<String> MODULES =
      List.of(
          "domain",
          "application",
          "grpc",
          "http",
          "console",
          "postgres",
          "bootstrap",
          "client",
          "servlet",
          "micrometer",
          "spring",
          "outbox",
          "testing",
          "testkit",
          "testserver",
          "test",
          "v1",
          "examples");

  private static final String[] PLAIN_JAVA = {
    "java.lang",
    "java.lang.invoke",
    "java.lang.runtime",
    "java.math",
    "java.nio",
    "java.nio.charset",
    "java.security",
    "java.time..",
    "java.util",
    "java.util.function",
    "java.util.stream",
    "java.util.zip",
    "java.util.concurrent",
    "javax.crypto..",
    "org.jspecify.annotations"
  };

  private static final int JAVA_17 = 61;

  /** All of them, by name; a rule that is not here does not hold. */
  Map<String, ArchRule> all() {
    var rules = new LinkedHashMap<String, ArchRule>();
    whoKnowsWhom(rules);
    whatIsOnlyInOnePlace(rules);
    whatDecisionsMayNot(rules);
    howThingsAreNamed(rules);
    return rules;
  }

  private void whoKnowsWhom(Map<String, ArchRule> rules) {
    rules.put("every class is in a module", everyClassIsInAModule());
    rules.put("domain knows no other module", knows("domain"));
    rules.put("application knows the domain", knows("application", in("domain")));
    rules.put(
        "grpc knows application, domain and the API",
        knows(
            "grpc",
            in("domain"),
            in("application"),
            in("v1"),
            "java..",
            "javax.net.ssl..",
            "io.grpc..",
            "com.google.protobuf..",
            "com.google.rpc..",
            "com.google.inject..",
            "com.fasterxml.jackson.core..",
            "io.opentelemetry.api..",
            "io.opentelemetry.context..",
            "org.slf4j.."));
    rules.put(
        "http knows gRPC channels",
        knows(
            "http",
            "java..",
            "javax.net.ssl..",
            "io.grpc..",
            "com.google.protobuf..",
            "com.google.rpc..",
            "com.fasterxml.jackson.core..",
            "org.slf4j.."));
    rules.put(
        "console knows the API",
        knows(
            "console",
            in("v1"),
            "java..",
            "io.grpc..",
            "com.google.protobuf..",
            "com.fasterxml.jackson.core..",
            "com.github.benmanes.caffeine..",
            "gg.jte..",
            "org.slf4j.."));
    rules.put(
        "postgres knows the domain",
        knows(
            "postgres",
            in("domain"),
            "java..",
            "javax.sql..",
            "org.jooq..",
            "org.postgresql..",
            "org.flywaydb..",
            "com.github.benmanes.caffeine..",
            "com.zaxxer.hikari..",
            "com.google.inject..",
            "com.fasterxml.jackson.core..",
            "org.slf4j.."));
    rules.put(
        "client knows the API",
        knows(
            "client",
            in("v1"),
            "java..",
            "javax.net.ssl..",
            "javax.sql..",
            "io.grpc..",
            "com.google.protobuf..",
            "com.google.rpc..",
            "io.opentelemetry.api..",
            "io.opentelemetry.context..",
            "com.fasterxml.jackson..",
            "tools.jackson..",
            "org.slf4j.."));
    rules.put(
        "the relay of the outbox knows the client",
        knows(
            "outbox",
            in("client"),
            in("v1"),
            "java..",
            "javax.sql..",
            "com.google.protobuf..",
            "org.slf4j.."));
    rules.put(
        "the filter knows the client and servlets",
        knows(
            "servlet",
            in("client"),
            in("v1"),
            "java..",
            "jakarta.servlet..",
            "com.google.protobuf..",
            "org.slf4j.."));
    rules.put(
        "the meters know the client",
        knows("micrometer", in("client"), "java..", "io.micrometer.core.."));
    rules.put(
        "the starter knows the client and Spring",
        knows(
            "spring",
            in("client"),
            in("micrometer"),
            in("servlet"),
            in("v1"),
            "java..",
            "jakarta.servlet..",
            "io.grpc..",
            "com.google.protobuf..",
            "io.micrometer..",
            "org.springframework..",
            "org.slf4j.."));
    rules.put(
        "tests of applications know the client",
        knows(
            "testing",
            in("client"),
            in("test.v1"),
            "java..",
            "io.grpc..",
            "com.google.protobuf..",
            "org.junit.jupiter.api..",
            "org.springframework.."));
    rules.put(
        "the API knows gRPC",
        knows(
            "v1",
            "java..",
            "io.grpc..",
            "com.google.protobuf..",
            "com.google.rpc..",
            "com.google.common.."));
    rules.put(
        "testkit knows the domain",
        knows(
            not(resideInAPackage(in("testkit.server"))),
            "testkit",
            in("domain"),
            "java..",
            "javax.net.ssl..",
            "javax.security.auth.x500..",
            "javax.sql..",
            "org.junit.jupiter..",
            "org.assertj..",
            "org.postgresql..",
            "io.zonky.test..",
            "org.testcontainers..",
            "org.slf4j.."));
    rules.put(
        "the server in memory knows application, grpc and testkit",
        knows(
            "testkit.server",
            in("domain"),
            in("application"),
            in("grpc"),
            in("testkit"),
            "java..",
            "io.grpc.."));
    rules.put(
        "modules have no cycle", slices().matching(root + ".(*)..").should().beFreeOfCycles());
    rules.put(
        "features have no cycle", slices().matching(root + ".(*).(*)..").should().beFreeOfCycles());
  }

  private void whatIsOnlyInOnePlace(Map<String, ArchRule> rules) {
    rules.put(
        "jOOQ is only in postgres",
        noClasses()
            .that(not(resideInAPackage(in("postgres"))))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.jooq.."));
    rules.put(
        "the client works without Jackson",
        noClasses()
            .that()
            .resideInAPackage(in("client"))
            .and()
            .haveNameNotMatching(".*\\.internal\\.Jackson[23]Json")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson..", "tools.jackson.."));
    rules.put(
        "no port has the HTTP server of the JDK",
        noClasses().should().dependOnClassesThat().resideInAPackage("com.sun.net.httpserver.."));
    rules.put(
        "Guice is only in bootstrap and in modules",
        noClasses()
            .that()
            .resideOutsideOfPackage(in("bootstrap"))
            .and()
            .haveNameNotMatching(".*Module(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.google.inject..", "jakarta.inject..", "javax.inject.."));
    rules.put(
        "generated types stay at the edge",
        classes()
            .that()
            .resideInAPackage(in("v1"))
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(
                in("v1"),
                in("grpc"),
                in("console"),
                in("client"),
                in("servlet"),
                in("spring"),
                in("outbox"),
                in("bootstrap"),
                in("test"),
                in("testserver"),
                in("examples")));
    rules.put(
        "only the client uses its internal classes",
        classes()
            .that()
            .resideInAPackage(in("client.internal"))
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAPackage(in("client")));
    rules.put(
        "only main and the signal handler end the process",
        classes()
            .that()
            .doNotHaveFullyQualifiedName(root + ".bootstrap.Main")
            .and()
            .doNotHaveFullyQualifiedName(root + ".bootstrap.server.Termination")
            .and()
            .doNotHaveFullyQualifiedName(root + ".testserver.TestServerMain")
            .should(HouseConditions.notCall("end the process", HouseConditions::endsTheProcess)));
    rules.put(
        "output goes through the command or the log", noClasses().should(ACCESS_STANDARD_STREAMS));
    rules.put(
        "what callers run is Java 17",
        classes()
            .that()
            .resideInAnyPackage(
                in("client"),
                in("servlet"),
                in("micrometer"),
                in("spring"),
                in("outbox"),
                in("testing"),
                in("v1"))
            .should(HouseConditions.haveClassFileVersion(JAVA_17)));
  }

  private void whatDecisionsMayNot(Map<String, ArchRule> rules) {
    rules.put(
        "domain reads no clock",
        inModule("domain", HouseConditions.notCall("read a clock", HouseConditions::readsAClock)));
    rules.put(
        "application reads no wall clock",
        inModule(
            "application",
            HouseConditions.notCall("read a wall clock", HouseConditions::readsAWallClock)));
    for (var module : List.of("domain", "application")) {
      rules.put(
          module + " draws nothing",
          inModule(module, HouseConditions.notCall("draw", HouseConditions::drawsRandomly)));
    }
    rules.put("domain has no threads", inModule("domain", HouseConditions.notUseThreads()));
  }

  private void howThingsAreNamed(Map<String, ArchRule> rules) {
    rules.put(
        "every package is null-marked",
        classes()
            .that()
            .resideOutsideOfPackages(
                in("v1"), in("test"), root + ".postgres.schema.tables", in("console.template"))
            .should(HouseConditions.resideInANullMarkedPackage()));
    rules.put(
        "packages are named by what they hold",
        noClasses()
            .should()
            .resideInAnyPackage(
                "..util..", "..utils..", "..common..", "..helper..", "..helpers..", "..impl.."));
    rules.put(
        "classes are named by what they are",
        noClasses()
            .should()
            .haveNameMatching(".*(Impl|UseCase|Mapper|Manager|Util|Utils|Helper|Dto)(\\$.*)?"));
    rules.put(
        "a feature has one name in every module",
        classes()
            .that()
            .resideInAnyPackage(in("domain"), in("application"), in("grpc"), in("postgres"))
            .should(new SameFeatureNames(root)));
  }

  private ArchRule everyClassIsInAModule() {
    return classes()
        .should()
        .resideInAnyPackage(MODULES.stream().map(this::in).toArray(String[]::new));
  }

  /** May depend on these packages, plain Java and itself, and on nothing else. */
  private ArchRule knows(String module, String... packages) {
    return knows(DescribedPredicate.alwaysTrue(), module, packages);
  }

  private ArchRule knows(
      DescribedPredicate<? super JavaClass> who, String module, String... packages) {
    var allowed =
        Stream.of(Arrays.stream(PLAIN_JAVA), Arrays.stream(packages), Stream.of(in(module)))
            .flatMap(all -> all)
            .toArray(String[]::new);
    return classes()
        .that()
        .resideInAPackage(in(module))
        .and(who)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed)
        .allowEmptyShould(true);
  }

  private ArchRule inModule(String module, ArchCondition<JavaClass> condition) {
    return classes().that().resideInAPackage(in(module)).should(condition);
  }

  private String in(String module) {
    return root + "." + module + "..";
  }
}
