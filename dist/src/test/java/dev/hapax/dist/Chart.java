package dev.hapax.dist;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The chart, rendered and linted by Helm itself in this process. */
record Chart(Path folder, Path work) {
  static final String RELEASE = "shop";

  /** The oldest that the chart accepts. */
  private static final String KUBERNETES = "1.30.0";

  /** How the copy writes the annotations of hooks. */
  static final String HOOK = "example.com/hook";

  /**
   * Copies the chart, since lint knows no values but those of the chart. Its hooks are other
   * objects there, since Helm's library leaves hooks out of what it renders.
   */
  static Chart copiedTo(Path work) throws IOException {
    var original = Repository.ROOT.resolve("deploy/helm/hapax");
    var copy = work.resolve("hapax");
    try (var files = Files.walk(original)) {
      for (var file : files.toList()) {
        var target = copy.resolve(original.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectory(target);
        } else {
          // follows the link to the rules, as `helm package` does
          Files.writeString(target, Files.readString(file).replace("helm.sh/hook", HOOK));
        }
      }
    }
    return new Chart(copy, work);
  }

  String yaml(String values) throws IOException {
    return new Helm(folder)
        .template()
        .withKubeVersion(KUBERNETES)
        .withName(RELEASE)
        .withNamespace("orders")
        .withValuesFile(Files.writeString(work.resolve("values.yaml"), values))
        .call();
  }

  KubernetesObjects render(String values) throws IOException {
    return KubernetesObjects.parse(yaml(values));
  }

  /** Returns what lint finds; its hints are left out. */
  List<String> lint() {
    return new Helm(folder)
        .lint().strict().call().getMessages().stream()
            .filter(message -> !message.startsWith("[INFO]"))
            .toList();
  }
}
