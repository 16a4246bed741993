package dev.hapax.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.ServerConfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The chart as Helm renders it. It is not run: no Kubernetes is part of the build. */
class HelmChartTest {
  private static final String DATABASE =
      """
      database: {url: "jdbc:postgresql://db.example.com/hapax", existingSecret: hapax-database}
      """;
  private static final String LEAST = DATABASE + "tls: {existingSecret: hapax-tls}\n";
  private static final String TRIAL = DATABASE + "insecure: true\nmigration: {mode: none}\n";
  private static final String MOST =
      """
      image: {repository: registry.example.com/hapax, digest: "sha256:%s"}
      imagePullSecrets: [{name: registry}]
      replicas: 3
      database: {url: "jdbc:postgresql://db.example.com/hapax?sslmode=verify-full", user: server, existingSecret: hapax-database}
      cells: {existingSecret: hapax-cells}
      migration: {mode: job, user: owner, existingSecret: hapax-owner, passwordKey: owner-password}
      tls: {existingSecret: hapax-tls, clientAuthoritySecret: hapax-clients}
      tokenIssuers: |
        issuer = https://login.example.com
        audience = hapax
      certificateIdentities: |
        spiffe://prod/billing = billing role=worker workspace=eu
      definitionsConfigMap: hapax-definitions
      lifecyclesConfigMap: hapax-lifecycles
      http: {enabled: true, hosts: [hapax.example.com]}
      console: {enabled: true, hosts: [console.example.com]}
      databaseWaitSeconds: 300
      settings: {run-retention: 10d, max-connections: "20000", log-format: json}
      drainSeconds: 40
      shutdownDelaySeconds: 10
      javaOptions: -XX:MaxRAMPercentage=60
      service: {type: LoadBalancer, annotations: {example.com/internal: "true"}}
      serviceAccountName: hapax
      priorityClassName: high
      nodeSelector: {disk: ssd}
      tolerations: [{key: dedicated, operator: Exists}]
      affinity: {nodeAffinity: {}}
      podLabels: {team: orders}
      podAnnotations: {example.com/note: "yes"}
      serviceMonitor: {enabled: true, labels: {release: prometheus}}
      prometheusRule: {enabled: true, labels: {release: prometheus}, runbookUrl: https://wiki.example.com/hapax/}
      networkPolicy: {enabled: true, clients: [{podSelector: {}}], monitoring: [{namespaceSelector: {}}]}
      """
          .formatted("0".repeat(64));

  @TempDir private Path work = Path.of("");
  private Chart chart = new Chart(work, work);

  @BeforeEach
  void copy() throws IOException {
    chart = Chart.copiedTo(work);
  }

  static Stream<String> values() {
    return Stream.of(LEAST, TRIAL, MOST);
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then lint finds nothing")
  void passesLint(String values) throws IOException {
    var all = new YAMLMapper();
    var merged = all.readTree(chart.folder().resolve("values.yaml").toFile());
    all.readerForUpdating(merged).readValue(values);
    all.writeValue(chart.folder().resolve("values.yaml").toFile(), merged);
    assertThat(chart.lint()).isEmpty();
  }

  @Test
  @DisplayName("given no values, then lint finds nothing; given a broken template, then it does")
  void findsBrokenTemplates() throws IOException {
    assertThat(chart.lint()).isEmpty();
    Files.writeString(chart.folder().resolve("templates/broken.yaml"), "a: {{ .Values.none.x }}");
    assertThat(chart.lint()).isNotEmpty();
  }

  @Test
  @DisplayName("given values, then the chart has the objects that they ask for")
  void hasTheObjects() throws IOException {
    assertThat(chart.render(LEAST).names())
        .containsExactly(
            "ConfigMap/shop-hapax",
            "Deployment/shop-hapax",
            "Job/shop-hapax-migrate",
            "Pod/shop-hapax-ready",
            "PodDisruptionBudget/shop-hapax",
            "Service/shop-hapax",
            "Service/shop-hapax-headless");
    assertThat(chart.render(TRIAL).each(Job.class)).isEmpty();
    assertThat(chart.render(MOST).names())
        .contains(
            "NetworkPolicy/shop-hapax", "PrometheusRule/shop-hapax", "ServiceMonitor/shop-hapax")
        .contains("Service/shop-hapax-console")
        .hasSize(11);
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then a server accepts its configuration, and commands theirs")
  void configures(String values) throws Exception {
    var objects = chart.render(values);
    var server = container(objects);
    var config = new ServerSettings(work.resolve("etc")).read(properties(objects), env(server));
    assertThat(config.listen().toString()).isEqualTo("0.0.0.0:7420");
    assertThat(config.tls().isPresent()).isEqualTo(!values.equals(TRIAL));
    assertThat(config.authentication()).isEqualTo(!values.equals(TRIAL));
    assertThat(objects.pods())
        .allSatisfy(pod -> ServerSettings.parse(pod.getContainers().getFirst().getArgs()));
    // SIGKILL comes after the server has given up by itself
    var deployment = objects.only(Deployment.class).getSpec().getTemplate().getSpec();
    assertThat(Duration.ofSeconds(deployment.getTerminationGracePeriodSeconds()))
        .isEqualTo(config.stopTimeout());
    var startup = server.getStartupProbe();
    assertThat(
            Duration.ofSeconds((long) startup.getPeriodSeconds() * startup.getFailureThreshold()))
        .isGreaterThan(databaseWait(config).plusSeconds(60));
    assertThat(env(server)).containsEntry("HAPAX_MIGRATE", "off");
  }

  @Test
  @DisplayName("given settings of an operator, then the server has them")
  void hasSettings() throws Exception {
    var objects = chart.render(MOST);
    var config = new ServerSettings(work.resolve("etc")).read(properties(objects), Map.of());
    assertThat(config.drain()).isEqualTo(Duration.ofSeconds(40));
    assertThat(config.shutdownDelay()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.ledger().runRetention()).isEqualTo(Duration.ofDays(10));
    assertThat(config.httpListen()).hasToString("Optional[0.0.0.0:7421]");
    assertThat(config.httpHosts())
        .contains("hapax.example.com", "shop-hapax", "shop-hapax-headless");
    assertThat(config.consoleListen())
        .hasValueSatisfying(
            console -> {
              assertThat(console.address()).hasToString("0.0.0.0:7422");
              assertThat(console.hosts())
                  .contains("console.example.com", "shop-hapax-console.orders.svc", "localhost");
            });
    assertThat(config.tokenIssuers()).isPresent();
    assertThat(config.certificateIdentities()).isPresent();
    assertThat(config.definitions()).isPresent();
    assertThat(objects.only(ConfigMap.class).getData())
        .containsEntry("token-issuers", "issuer = https://login.example.com\naudience = hapax\n");
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then no pod runs as root, writes its image or has a token")
  void isRestricted(String values) throws IOException {
    assertThat(chart.render(values).pods())
        .isNotEmpty()
        .allSatisfy(
            pod -> {
              assertThat(pod.getAutomountServiceAccountToken()).isFalse();
              assertThat(pod.getEnableServiceLinks()).isFalse();
              assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
              assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(65532);
              assertThat(pod.getSecurityContext().getSeccompProfile().getType())
                  .isEqualTo("RuntimeDefault");
              assertThat(pod.getContainers())
                  .singleElement()
                  .satisfies(
                      each -> {
                        var security = each.getSecurityContext();
                        assertThat(security.getReadOnlyRootFilesystem()).isTrue();
                        assertThat(security.getAllowPrivilegeEscalation()).isFalse();
                        assertThat(security.getCapabilities().getDrop()).containsExactly("ALL");
                        assertThat(each.getVolumeMounts())
                            .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                            .extracting(VolumeMount::getMountPath)
                            .containsExactly("/tmp");
                      });
            });
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then each mount has a volume, and each volume is mounted")
  void mountsItsVolumes(String values) throws IOException {
    assertThat(chart.render(values).pods())
        .allSatisfy(
            pod ->
                assertThat(pod.getVolumes())
                    .extracting(Volume::getName)
                    .containsExactlyInAnyOrderElementsOf(
                        pod.getContainers().getFirst().getVolumeMounts().stream()
                            .map(VolumeMount::getName)
                            .toList()));
  }

  @Test
  @DisplayName("given secrets, then they are mounted, and nothing of them is in an object")
  void usesSecrets() throws IOException {
    assertThat(
            secrets(chart.render(LEAST).only(Deployment.class).getSpec().getTemplate().getSpec()))
        .containsExactlyInAnyOrder("hapax-database", "hapax-tls");
    var most = chart.render(MOST);
    assertThat(secrets(most.only(Deployment.class).getSpec().getTemplate().getSpec()))
        .containsExactlyInAnyOrder("hapax-database", "hapax-cells", "hapax-tls", "hapax-clients");
    var job = most.only(Job.class).getSpec().getTemplate().getSpec();
    assertThat(secrets(job)).containsExactly("hapax-owner");
    assertThat(job.getContainers().getFirst().getArgs())
        .contains(
            "--database-user=owner", "--database-password-file=/etc/hapax/database/owner-password");
  }

  private static List<String> secrets(PodSpec pod) {
    return pod.getVolumes().stream()
        .filter(volume -> volume.getSecret() != null)
        .map(volume -> volume.getSecret().getSecretName())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then what selects servers selects them, and no pod of a Job")
  void selectsServers(String values) throws IOException {
    var objects = chart.render(values);
    var deployment = objects.only(Deployment.class).getSpec();
    var labels = deployment.getTemplate().getMetadata().getLabels();
    var selectors =
        Stream.of(
                objects.each(Service.class).stream().map(each -> each.getSpec().getSelector()),
                objects.each(PodDisruptionBudget.class).stream()
                    .map(each -> each.getSpec().getSelector().getMatchLabels()),
                objects.each(NetworkPolicy.class).stream()
                    .map(each -> each.getSpec().getPodSelector().getMatchLabels()),
                deployment.getTemplate().getSpec().getTopologySpreadConstraints().stream()
                    .map(each -> each.getLabelSelector().getMatchLabels()),
                Stream.of(deployment.getSelector().getMatchLabels()))
            .flatMap(each -> each)
            .toList();
    assertThat(selectors)
        .hasSizeGreaterThanOrEqualTo(6)
        .allSatisfy(selector -> assertThat(labels.entrySet()).containsAll(selector.entrySet()));
    var others =
        Stream.of(
                objects.each(Job.class).stream()
                    .map(each -> each.getSpec().getTemplate().getMetadata().getLabels()),
                objects.each(Pod.class).stream().map(each -> each.getMetadata().getLabels()))
            .flatMap(each -> each)
            .toList();
    assertThat(others)
        .isNotEmpty()
        .allSatisfy(
            other ->
                assertThat(selectors)
                    .noneMatch(selector -> other.entrySet().containsAll(selector.entrySet())));
  }

  @ParameterizedTest
  @MethodSource("values")
  @DisplayName("given any values, then services, probes and policies name ports of the container")
  void namesPorts(String values) throws IOException {
    var objects = chart.render(values);
    var server = container(objects);
    var ports = server.getPorts().stream().map(ContainerPort::getName).collect(Collectors.toSet());
    assertThat(ports).containsAll(Set.of("grpc", "metrics"));
    assertThat(objects.each(Service.class))
        .flatExtracting(each -> each.getSpec().getPorts())
        .allSatisfy(port -> assertThat(ports).contains(port.getTargetPort().getStrVal()));
    assertThat(objects.each(NetworkPolicy.class))
        .flatExtracting(each -> each.getSpec().getIngress())
        .flatExtracting(each -> each.getPorts())
        .allSatisfy(port -> assertThat(ports).contains(port.getPort().getStrVal()));
    assertThat(List.of(server.getStartupProbe(), server.getLivenessProbe()))
        .allSatisfy(probe -> assertThat(probe.getHttpGet().getPath()).isEqualTo("/livez"));
    assertThat(server.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
    assertThat(server.getReadinessProbe().getHttpGet().getPort().getStrVal()).isEqualTo("metrics");
    assertThat(objects.all())
        .filteredOn(each -> each.getMetadata().getName().endsWith("-headless"))
        .singleElement()
        .satisfies(each -> assertThat(((Service) each).getSpec().getClusterIP()).isEqualTo("None"));
  }

  @Test
  @DisplayName("given the default values, then two servers stay available in disruptions")
  void isAvailable() throws IOException {
    var objects = chart.render(LEAST);
    var deployment = objects.only(Deployment.class).getSpec();
    assertThat(deployment.getReplicas()).isGreaterThanOrEqualTo(2);
    var rolling = deployment.getStrategy().getRollingUpdate();
    assertThat(rolling.getMaxUnavailable().getIntVal()).isZero();
    assertThat(objects.only(PodDisruptionBudget.class).getSpec().getMaxUnavailable().getIntVal())
        .isEqualTo(1);
    assertThat(deployment.getTemplate().getSpec().getTopologySpreadConstraints()).hasSize(2);
  }

  @Test
  @DisplayName("given a changed configuration, then pods are replaced; given the same one, not")
  void replacesPods() throws IOException {
    var before = checksum(LEAST);
    assertThat(checksum(LEAST + "replicas: 5\n")).isEqualTo(before);
    assertThat(checksum(LEAST + "settings: {run-retention: 10d}\n")).isNotEqualTo(before);
    assertThat(checksum(LEAST + "tokenIssuers: \"issuer = x\"\n")).isNotEqualTo(before);
  }

  private String checksum(String values) throws IOException {
    var template = chart.render(values).only(Deployment.class).getSpec().getTemplate();
    return template.getMetadata().getAnnotations().getOrDefault("checksum/config", "");
  }

  @Test
  @DisplayName(
      "given the mode of the migration, then it is a hook, or a Job named after its content")
  void migrates() throws IOException {
    var hook = chart.render(LEAST).only(Job.class).getMetadata();
    assertThat(hook.getAnnotations()).containsEntry(Chart.HOOK, "pre-install,pre-upgrade");
    var jobMode = LEAST + "migration: {mode: job}\n";
    var job = chart.render(jobMode).only(Job.class).getMetadata();
    assertThat(job.getAnnotations()).isEmpty();
    assertThat(job.getName()).matches("shop-hapax-migrate-[0-9a-f]{8}");
    assertThat(chart.render(jobMode + "replicas: 5\n").only(Job.class).getMetadata().getName())
        .isEqualTo(job.getName());
    assertThat(
            chart.render(jobMode + "image: {tag: other}\n").only(Job.class).getMetadata().getName())
        .isNotEqualTo(job.getName());
  }

  @Test
  @DisplayName("the image is that of the version, a tag or a digest")
  void namesTheImage() throws IOException {
    assertThat(container(chart.render(LEAST)).getImage())
        .isEqualTo("hapax:" + Repository.version());
    assertThat(container(chart.render(LEAST + "image: {tag: x}\n")).getImage())
        .isEqualTo("hapax:x");
    assertThat(container(chart.render(MOST)).getImage())
        .isEqualTo("registry.example.com/hapax@sha256:" + "0".repeat(64));
  }

  @Test
  @DisplayName(
      "given Prometheus, then it scrapes as the job of the alerts, which are those of deploy/")
  void isMonitored() throws IOException {
    var objects = chart.render(MOST);
    var monitor = objects.only(ServiceMonitor.class).getSpec();
    var headless =
        objects.each(Service.class).stream()
            .filter(matches(monitor.getSelector().getMatchLabels()))
            .toList();
    assertThat(headless)
        .singleElement()
        .satisfies(
            service -> {
              assertThat(service.getMetadata().getLabels())
                  .containsEntry(monitor.getJobLabel(), "hapax");
              assertThat(service.getSpec().getPorts())
                  .extracting(port -> port.getName())
                  .contains(monitor.getEndpoints().getFirst().getPort());
            });
    var rules = Repository.text("deploy/prometheus/rules.yml");
    var names = rules.lines().filter(line -> line.contains("- alert: ")).count();
    var rendered = objects.only(PrometheusRule.class).getSpec().getGroups();
    assertThat(rendered).flatExtracting(group -> group.getRules()).hasSize((int) names);
    assertThat(new YAMLMapper().valueToTree(rendered).findValuesAsText("expr"))
        .isEqualTo(new YAMLMapper().readTree(rules).findValuesAsText("expr"));
    assertThat(new YAMLMapper().valueToTree(rendered).findValuesAsText("runbook_url"))
        .hasSize((int) names)
        .contains("https://wiki.example.com/hapax/run-stuck.md")
        .allMatch(url -> url.startsWith("https://wiki.example.com/hapax/"));
  }

  private static Predicate<HasMetadata> matches(Map<String, String> selector) {
    return each -> each.getMetadata().getLabels().entrySet().containsAll(selector.entrySet());
  }

  @Test
  @DisplayName("given the page about Kubernetes, then its values and its pod are valid")
  void isDocumented() throws Exception {
    var blocks =
        Pattern.compile("(?s)```yaml\n(.*?)```")
            .matcher(Repository.text("docs/kubernetes.md"))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    var chartPod = chart.render(blocks.getFirst()).only(Deployment.class).getSpec().getTemplate();
    var pod = KubernetesObjects.parse(blocks.getLast()).only(Pod.class).getSpec();
    assertThat(pod.getContainers().getFirst().getImage())
        .isEqualTo(chartPod.getSpec().getContainers().getFirst().getImage());
    ServerSettings.parse(pod.getContainers().getFirst().getArgs());
    assertThat(secrets(pod)).isSubsetOf(secrets(chartPod.getSpec()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "database: {existingSecret: x} | database.url is required",
        "database: {url: 'jdbc:postgresql://h/d'} | database.existingSecret is required",
        "database: {url: 'jdbc:postgresql://h/d', existingSecret: x} | tls.existingSecret is required",
      })
  @DisplayName("given a missing value, then the error names it")
  void namesMissingValues(String values, String error) {
    assertThatThrownBy(() -> chart.render(values)).hasMessageContaining(error);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "replica: 3",
        "replicas: 0",
        "replicas: many",
        "image: {digest: 'sha256:1'}",
        "image: {tag: 'a:b'}",
        "database: {url: 'postgres://h/d'}",
        "database: {password: secret}",
        "migration: {mode: always}",
        "tls: {existingSecret: 'Not A Name'}",
        "insecure: 'yes'",
        "drainSeconds: 25s",
        "drainSeconds: 0",
        "settings: {listen: '127.0.0.1:1'}",
        "settings: {migrate: auto}",
        "settings: {console-listen: '0.0.0.0:7422'}",
        "console: {hosts: ['https://console.example.com']}",
        "settings: {database-password: secret}",
        "settings: {Run-Retention: 10d}",
        "settings: {max-connections: 20000}",
        "settings: {run-retention: \"10d\\ninsecure = true\"}",
        "service: {type: Headless}",
        "podDisruptionBudget: {maxUnavailable: 0}",
        "podLabels: {team: 1}",
        "serviceMonitor: {interval: often}",
        "prometheusRule: {runbookUrl: docs/runbooks}",
        "networkPolicy: {clients: all}",
      })
  @DisplayName("given a bad value, then the schema refuses it")
  void refusesBadValues(String values) throws IOException {
    assertThat(chart.render(LEAST).all()).isNotEmpty();
    // a repeated key is not the mistake to find
    var key = values.replaceFirst(":.*", ":");
    var others = LEAST.lines().filter(line -> !line.startsWith(key)).toList();
    assertThatThrownBy(() -> chart.render(String.join("\n", others) + "\n" + values))
        .hasMessageContaining("values don't meet the specifications of the schema");
  }

  @Test
  @DisplayName("the chart sets no setting that an operator may also set")
  void setsNothingTwice() throws IOException {
    for (var values : List.of(LEAST, TRIAL, MOST.replaceFirst("settings: .*\n", ""))) {
      var keys =
          properties(chart.render(values))
              .lines()
              .map(line -> line.replaceFirst(" = .*", ""))
              .toList();
      assertThat(keys)
          .isNotEmpty()
          .doesNotHaveDuplicates()
          .allSatisfy(
              key ->
                  assertThatThrownBy(
                          () -> chart.render(LEAST + "settings: {%s: \"1\"}\n".formatted(key)))
                      .as(key)
                      .hasMessageContaining("schema"));
    }
  }

  private static Duration databaseWait(ServerConfig config) {
    return switch (config.database()) {
      case DatabaseConfig.External(var _, var maxWait, var _) -> maxWait;
      case DatabaseConfig.Embedded _ -> Duration.ZERO;
    };
  }

  private static String properties(KubernetesObjects objects) {
    return objects.only(ConfigMap.class).getData().getOrDefault("hapax.properties", "");
  }

  private static Container container(KubernetesObjects objects) {
    var pod = objects.only(Deployment.class).getSpec().getTemplate().getSpec();
    return pod.getContainers().getFirst();
  }

  private static Map<String, String> env(Container container) {
    return container.getEnv().stream().collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }
}
