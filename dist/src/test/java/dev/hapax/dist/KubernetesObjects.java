package dev.hapax.dist;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Objects of Kubernetes, read strictly: an unknown kind, field or a repeated field is an error. */
record KubernetesObjects(List<HasMetadata> all) {
  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.of(
          "v1/ConfigMap", ConfigMap.class,
          "v1/Service", Service.class,
          "v1/Pod", Pod.class,
          "apps/v1/Deployment", Deployment.class,
          "batch/v1/Job", Job.class,
          "policy/v1/PodDisruptionBudget", PodDisruptionBudget.class,
          "networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class,
          "monitoring.coreos.com/v1/ServiceMonitor", ServiceMonitor.class,
          "monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class);

  private static final YAMLMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .build();

  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(new WithoutAdditionalProperties())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /** The models keep unknown fields as additional properties. */
  private static final class WithoutAdditionalProperties extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return false;
    }
  }

  static KubernetesObjects parse(String yaml) {
    var objects = new ArrayList<HasMetadata>();
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      while (documents.hasNext()) {
        var document = documents.next();
        if (!document.isNull()) {
          objects.add(object(document));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new KubernetesObjects(List.copyOf(objects));
  }

  private static HasMetadata object(JsonNode document) throws IOException {
    var name = document.path("apiVersion").asText() + "/" + document.path("kind").asText();
    var kind = KINDS.get(name);
    if (kind == null) {
      throw new IOException("unknown kind " + name);
    }
    return STRICT.treeToValue(document, kind);
  }

  <T extends HasMetadata> List<T> each(Class<T> kind) {
    return all.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  <T extends HasMetadata> T only(Class<T> kind) {
    var found = each(kind);
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " objects of " + kind.getSimpleName());
    }
    return found.getFirst();
  }

  List<PodSpec> pods() {
    return Stream.of(
            each(Deployment.class).stream().map(each -> each.getSpec().getTemplate().getSpec()),
            each(Job.class).stream().map(each -> each.getSpec().getTemplate().getSpec()),
            each(Pod.class).stream().map(Pod::getSpec))
        .flatMap(specs -> specs)
        .toList();
  }

  /** Returns {@code Kind/name} of each object. */
  List<String> names() {
    return all.stream()
        .map(each -> each.getKind() + "/" + each.getMetadata().getName())
        .sorted()
        .toList();
  }
}
