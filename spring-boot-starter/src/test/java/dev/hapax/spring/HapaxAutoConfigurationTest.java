package dev.hapax.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Hapax;
import dev.hapax.client.Observer;
import dev.hapax.micrometer.HapaxMeters;
import dev.hapax.spring.HapaxProperties.Tracing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The beans without a server. */
class HapaxAutoConfigurationTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HapaxAutoConfiguration.class,
                  HapaxHealthAutoConfiguration.class,
                  HapaxMetersAutoConfiguration.class,
                  HapaxServletAutoConfiguration.class,
                  HapaxTracingAutoConfiguration.class));

  private ApplicationContextRunner withVariables(Map<String, Object> variables) {
    return runner.withInitializer(
        context -> {
          context
              .getEnvironment()
              .getPropertySources()
              .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables));
          ConfigurationPropertySources.attach(context.getEnvironment());
        });
  }

  @Test
  @DisplayName("given no property, then there is a client, and a worker that does not run")
  void byDefault() {
    runner.run(
        context -> {
          assertThat(context).hasSingleBean(Hapax.class).hasBean("hapaxHealthIndicator");
          assertThat(context.getBean(HapaxConnectionDetails.class).server())
              .isEqualTo("127.0.0.1:7420");
          assertThat(context.getBean(HapaxWorkers.class).isRunning()).isFalse();
          assertThat(context).doesNotHaveBean(Observer.class);
        });
  }

  @Test
  @DisplayName("given no servlets, no actuator and no meters, then there is the client alone")
  void plain() {
    runner
        .withClassLoader(
            new FilteredClassLoader(
                "jakarta.servlet",
                "io.micrometer.core",
                "org.springframework.web",
                "org.springframework.boot.actuate",
                "org.springframework.boot.health"))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Hapax.class)
                    .hasSingleBean(HapaxWorkers.class)
                    .doesNotHaveBean("hapaxHealthIndicator"));
  }

  @Test
  @DisplayName("given hapax.enabled = false, then there is no bean of Hapax")
  void off() {
    runner
        .withPropertyValues("hapax.enabled=false")
        .withBean(SimpleMeterRegistry.class)
        .run(
            context ->
                assertThat(context.getBeanDefinitionNames())
                    .noneMatch(name -> name.startsWith("hapax")));
  }

  @Test
  @DisplayName("given an application with its own client, then nothing is connected")
  void ownClient() {
    runner
        .withBean("own", Hapax.class, () -> Hapax.builder().channel(new UnusedChannel()).connect())
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Hapax.class)
                    .doesNotHaveBean(HapaxConnectionDetails.class));
  }

  @Test
  @DisplayName("given the variables of the command, then they are the properties")
  void variables(@TempDir Path folder) throws IOException {
    var jwt = Files.writeString(folder.resolve("token"), "a.b.c").toString();
    withVariables(
            Map.of(
                "HAPAX_SERVER", "hapax.example.com:7420",
                "HAPAX_TLS", "true",
                "HAPAX_JWT_FILE", jwt,
                "HAPAX_WORKSPACE", "shop"))
        .run(
            context -> {
              var properties = context.getBean(HapaxProperties.class);
              assertThat(properties.server()).isEqualTo("hapax.example.com:7420");
              assertThat(properties.tls()).isTrue();
              assertThat(properties.jwtFile()).isEqualTo(jwt);
              assertThat(context.getBean(Hapax.class).workspace()).isEqualTo("shop");
            });
  }

  @Test
  @DisplayName("given a call timeout of 0, then the client refuses it")
  void callTimeout() {
    runner
        .withPropertyValues("hapax.call-timeout=0s")
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("callTimeout"));
  }

  @Test
  @DisplayName("given HAPAX_TLS and HAPAX_TLS_CA, then both count")
  void tls() {
    withVariables(Map.of("HAPAX_TLS", "true", "HAPAX_TLS_CA", "no-such-file.pem"))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("no-such-file.pem"));
    runner
        .withPropertyValues("hapax.tls.bundle=shop")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("hapax.tls.bundle is shop"));
  }

  @Test
  @DisplayName("given two credentials, then the message names both")
  void credentials() {
    runner
        .withPropertyValues("hapax.api-key=a", "hapax.jwt-file=b")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("HAPAX_API_KEY and HAPAX_JWT_FILE are set"));
  }

  @Test
  @DisplayName("given a registry of meters, then the client reports to it")
  void meters() {
    runner
        .withBean(SimpleMeterRegistry.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(HapaxMeters.class);
              context.getBean(Hapax.class).observer().slotsChanged(2, 5);
              var registry = context.getBean(SimpleMeterRegistry.class);
              assertThat(registry.get("hapax.worker.slots").tag("state", "busy").gauge().value())
                  .isEqualTo(2);
            });
  }

  @Test
  @DisplayName("given no server, then the health of Boot 3 is down, and that of Boot 4")
  void health() {
    var down = runner.withPropertyValues("hapax.server=127.0.0.1:1");
    down.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
        .run(
            context -> {
              var health = context.getBean(HealthIndicator.class).health();
              assertThat(health.getStatus()).isEqualTo(Status.DOWN);
              assertThat(health.getDetails().toString()).contains("Hapax is unreachable");
            });
    down.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.health"))
        .run(
            context -> {
              var health =
                  context
                      .getBean(org.springframework.boot.health.contributor.HealthIndicator.class)
                      .health();
              assertThat(Objects.requireNonNull(health).getStatus().getCode()).isEqualTo("DOWN");
            });
    runner
        .withPropertyValues("management.health.hapax.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("hapaxHealthIndicator"));
  }

  @Test
  @DisplayName("then the worker stops before the web server drains")
  void phase() {
    // of WebServerGracefulShutdownLifecycle
    int webServer = SmartLifecycle.DEFAULT_PHASE - 1024;
    runner.run(
        context ->
            assertThat(context.getBean(HapaxWorkers.class).getPhase())
                .isGreaterThan(webServer)
                .isLessThan(SmartLifecycle.DEFAULT_PHASE));
  }

  @Test
  @DisplayName("given hapax.tracing in each notation, then it is read")
  void tracing() {
    for (var mode : Tracing.values()) {
      runner
          .withPropertyValues("hapax.tracing=" + mode.name().toLowerCase(Locale.ROOT))
          .run(
              context ->
                  assertThat(context.getBean(HapaxProperties.class).tracing()).isEqualTo(mode));
    }
  }

  @Test
  @DisplayName("the configuration metadata has each property, and no other")
  void metadata() throws IOException {
    var named =
        Pattern.compile(
                "\"name\": \"(hapax[.][^\"]*)\",\\s*\"type\": \"(?!dev[.]hapax[.]spring.*[^g]\")")
            .matcher(metadataText())
            .results()
            .map(found -> found.group(1));
    var bound =
        Stream.of(
                names("hapax", HapaxProperties.class),
                names("hapax.worker", HapaxProperties.Worker.class),
                names("hapax.http.idempotency", HapaxProperties.Idempotency.class),
                Stream.of("hapax.enabled", "hapax.tls.ca", "hapax.tls.bundle"))
            .flatMap(all -> all);
    var all = bound.toList();
    assertThat(named).containsExactlyInAnyOrderElementsOf(all);
    assertThat(Files.readString(Path.of("../docs/clients.md")))
        .contains(all.stream().map(name -> "`" + name + "`").toList());
  }

  private static String metadataText() {
    try (var file =
        HapaxProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Stream<String> names(String prefix, Class<? extends Record> properties) {
    return Arrays.stream(properties.getRecordComponents())
        .filter(each -> !each.getType().isRecord())
        .map(RecordComponent::getName)
        .map(name -> prefix + "." + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
  }
}
