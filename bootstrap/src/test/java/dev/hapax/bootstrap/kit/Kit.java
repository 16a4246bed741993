package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The kits that must fulfil the contract. {@code -Dhapax.kit=python} tests one of them; {@code
 * -Dhapax.kits=required} fails where the tools of a kit are missing.
 */
enum Kit {
  JAVA {
    @Override
    HapaxProcess start(Map<String, String> environment) {
      return HapaxProcess.startMain(JavaContract.class.getName(), environment);
    }

    @Override
    HapaxProcess shop(Map<String, String> environment, String... arguments) {
      return HapaxProcess.startMain("dev.hapax.examples.tutorial.Shop", environment, arguments);
    }
  },
  PYTHON {
    @Override
    void install() throws IOException {
      PythonKit.install();
    }

    @Override
    void prepareDatabase() throws IOException {
      PythonKit.installDriver();
    }

    @Override
    HapaxProcess start(Map<String, String> environment) {
      return PythonKit.start("tests/contract.py", environment);
    }

    @Override
    HapaxProcess shop(Map<String, String> environment, String... arguments) {
      return PythonKit.start("examples/shop.py", environment, arguments);
    }
  },
  TYPESCRIPT {
    @Override
    void install() throws IOException {
      TypeScriptKit.install();
    }

    @Override
    HapaxProcess start(Map<String, String> environment) {
      return TypeScriptKit.start("tests/contract.js", environment);
    }

    @Override
    HapaxProcess shop(Map<String, String> environment, String... arguments) {
      return TypeScriptKit.start("examples/shop.js", environment, arguments);
    }
  },
  GO {
    @Override
    void install() throws IOException {
      GoKit.install();
    }

    @Override
    HapaxProcess start(Map<String, String> environment) {
      return GoKit.start("contract", environment);
    }

    @Override
    HapaxProcess shop(Map<String, String> environment, String... arguments) {
      return GoKit.start("shop", environment, arguments);
    }
  };

  /** The folder of the kits. */
  static final Path FOLDER = Path.of("..", "kits").toAbsolutePath().normalize();

  /** Installs the kit as its users do, once; skips the test where its tools are missing. */
  void prepare() throws IOException {
    var only = System.getProperty("hapax.kit", name());
    assumeTrue(name().equalsIgnoreCase(only), "skipped: only the kit " + only + " is tested");
    install();
  }

  void install() throws IOException {}

  /** As {@link #prepare}, also with the driver of PostgreSQL that the programs use. */
  void prepareDatabase() throws IOException {
    prepare();
  }

  /** Starts the contract program with these variables. */
  abstract HapaxProcess start(Map<String, String> environment);

  /** Starts a command of the tutorial's shop. */
  abstract HapaxProcess shop(Map<String, String> environment, String... arguments);

  /** Skips the test because something is missing, unless all kits are required. */
  static void require(boolean isThere, String missing) {
    if (System.getProperty("hapax.kits", "").equals("required")) {
      assertThat(isThere).as(missing).isTrue();
    }
    if (!isThere) {
      System.out.println("kits: skipped: " + missing);
    }
    assumeTrue(isThere, "skipped: " + missing);
  }
}
