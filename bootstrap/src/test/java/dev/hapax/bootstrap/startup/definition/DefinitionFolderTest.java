package dev.hapax.bootstrap.startup.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.application.definition.Definitions;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionFolderTest {
  private static final String NAP =
      "{\"name\": \"nap\", \"version\": \"1\","
          + " \"steps\": [{\"name\": \"sleep\", \"timer\": {\"duration\": \"1s\"}}]}";

  @TempDir private Path folder = Path.of("");

  private Path write(String name, String text) throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void readsTheFolderAndTheFoldersInIt() throws Exception {
    write("nap.json", NAP);
    write("shop/nap.json", NAP);
    write("shop/deeper/nap.json", "not read");
    write("notes.txt", "not read");
    write(".hidden.json", "not read");
    write("..data/nap.json", "not read");

    assertThat(DefinitionFolder.read(folder).size()).isEqualTo(2);
  }

  @Test
  void saysAllThatIsWrongWithAllFiles() throws Exception {
    var bad = write("bad.json", "{\"name\": \"bad\", \"steps\": [{\"name\": \"a\"}]}");
    var worse = write("shop/worse.json", "{");
    var other =
        write("shop/other.json", NAP.replace("{\"name\": \"nap\"", "{\"workspace\": \"x\""));
    var nowhere = write("No Workspace/nap.json", NAP);

    assertThatThrownBy(() -> DefinitionFolder.read(folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(bad + ": version is required")
        .hasMessageContaining(bad + ": steps[0].kind must be task, timer, signal or code")
        .hasMessageContaining(worse + ": is not JSON at line 1")
        .hasMessageContaining(other + ": workspace must be shop or unset (was x)")
        .hasMessageContaining(other + ": name is required")
        .hasMessageContaining(nowhere + ": workspace ");
  }

  @Test
  void saysOnceWhatCannotBeRead() throws Exception {
    var bad = write("bad.json", NAP.replace("\"nap\"", "7"));

    assertThatThrownBy(() -> DefinitionFolder.read(folder))
        .hasMessage(bad + ": name must be a string");
  }

  @Test
  void registersNothingThatAnotherServerDoesNotKnow() throws Exception {
    write(
        "slow.json",
        "{\"name\": \"slow\", \"version\": \"1\", \"steps\": [{\"name\": \"a\","
            + " \"task\": {\"queue\": \"q\", \"attempt_timeout\": \"1s\"}}]}");
    var ledger = new InMemoryLedger(InstantSource.system());
    var definitions = new Definitions(ledger, new InMemoryDefinitionReads(ledger));
    TurnsGate closed = () -> CompletableFuture.completedFuture(false);
    var refusing = new GatedRegistrations(definitions, PartsGate.OPEN, closed);
    var read = DefinitionFolder.read(folder);

    assertThatThrownBy(() -> read.register(refusing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("slow.json: cannot register: a server of an earlier version works");
    var registering = new GatedRegistrations(definitions, PartsGate.OPEN, TurnsGate.OPEN);
    assertThat(read.register(registering)).as("not registered before").isEqualTo(1);
  }
}
