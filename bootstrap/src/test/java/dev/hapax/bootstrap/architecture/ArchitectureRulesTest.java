package dev.hapax.bootstrap.architecture;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A rule that cannot fail is no rule. The packages below {@code fixture} break each of them, and
 * each has to name who did.
 */
final class ArchitectureRulesTest {
  private static final String ROOT = ArchitectureRulesTest.class.getPackageName() + ".fixture";
  private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(ROOT);

  private static final Map<String, String> BREAKERS =
      Map.ofEntries(
          entry("every class is in a module", "surprise.NowhereAtHome"),
          entry("domain knows no other module", "domain.order.KnowsTheDatabase"),
          entry("application knows the domain", "application.order.KnowsAnAdapter"),
          entry("grpc knows application, domain and the API", "grpc.order.KnowsTheOtherAdapter"),
          entry("http knows gRPC channels", "http.KnowsTheGrpcAdapter"),
          entry("console knows the API", "console.KnowsTheHttpAdapter"),
          entry("postgres knows the domain", "postgres.order.KnowsTheApplication"),
          entry("client knows the API", "client.BringsALot"),
          entry("the relay of the outbox knows the client", "outbox.RelaysByJooq"),
          entry("the filter knows the client and servlets", "servlet.RecordsByJooq"),
          entry("the meters know the client", "micrometer.CountsByJooq"),
          entry("the starter knows the client and Spring", "spring.ConfiguresJooq"),
          entry("tests of applications know the client", "testing.StoresByJooq"),
          entry("the API knows gRPC", "v1.KnowsTheDomain"),
          entry("testkit knows the domain", "testkit.KnowsTheServer"),
          entry(
              "the server in memory knows application, grpc and testkit",
              "testkit.server.KnowsTheDatabase"),
          entry("modules have no cycle", "application.order.KnowsAnAdapter"),
          entry("features have no cycle", "application.order.AsksBilling"),
          entry("jOOQ is only in postgres", "bootstrap.QueriesByItself"),
          entry("the client works without Jackson", "client.ReadsByJackson"),
          entry("no port has the HTTP server of the JDK", "bootstrap.ServesByTheJdk"),
          entry("Guice is only in bootstrap and in modules", "grpc.order.InjectsItself"),
          entry("generated types stay at the edge", "postgres.order.KeepsTheMessage"),
          entry("only the client uses its internal classes", "bootstrap.ReachesIntoTheClient"),
          entry("only main and the signal handler end the process", "grpc.order.EndsTheProcess"),
          entry("output goes through the command or the log", "bootstrap.Shouts"),
          entry("what callers run is Java 17", "client.BringsALot"),
          entry("domain reads no clock", "domain.order.ReadsTheClock"),
          entry("domain draws nothing", "domain.order.Draws"),
          entry("application reads no wall clock", "application.order.ReadsTheClock"),
          entry("application draws nothing", "application.order.Draws"),
          entry("domain has no threads", "domain.order.StartsAThread"),
          entry("every package is null-marked", "domain.unmarked.InNoMarkedPackage"),
          entry("packages are named by what they hold", "application.util.Strings"),
          entry("classes are named by what they are", "application.order.OrderManager"),
          entry("a feature has one name in every module", "grpc.orders.OtherName"));

  @Test
  @DisplayName("every rule has a fixture that breaks it")
  void complete() {
    assertThat(BREAKERS.keySet()).isEqualTo(new HouseRules(ROOT).all().keySet());
  }

  @TestFactory
  @DisplayName("every rule names the class that breaks it")
  Stream<DynamicTest> broken() {
    return new HouseRules(ROOT)
        .all().keySet().stream()
            .map(
                rule ->
                    DynamicTest.dynamicTest(
                        rule,
                        () -> assertThat(report(rule)).contains(ROOT + "." + BREAKERS.get(rule))));
  }

  @Test
  @DisplayName("every way to read a clock, to draw and to leave the thread is found")
  void everyWay() {
    var report =
        Stream.of("domain reads no clock", "domain draws nothing", "domain has no threads")
            .map(ArchitectureRulesTest::report)
            .reduce("", String::concat);
    assertThat(report)
        .contains("Instant.now()")
        .contains("LocalDate.now(")
        .contains("Clock.systemUTC()")
        .contains("System.currentTimeMillis()")
        .contains("System.nanoTime()")
        .contains("UUID.randomUUID()")
        .contains("java.util.Random.nextInt()")
        .contains("SecureRandom.<init>()")
        .contains("ThreadLocalRandom.current()")
        .contains("Math.random()")
        .contains("java.lang.Thread")
        .contains("java.util.concurrent.ExecutorService")
        .contains("CompletableFuture.runAsync(");
  }

  private static String report(String rule) {
    return Objects.requireNonNull(new HouseRules(ROOT).all().get(rule))
        .evaluate(FIXTURE)
        .getFailureReport()
        .toString();
  }
}
