package dev.hapax.bootstrap.kit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Requirement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The kits that must fulfil the contract. {@code -Dhapax.kit=python} tests one of them; {@code
 * -Dhapax.kits=required} fails where the tools of a kit are missing.
 */
enum Kit {
  JAVA(
      () -> {},
      HapaxProcess::startMain,
      JavaContract.class.getName(),
      "dev.hapax.examples.tutorial.Shop"),
  PYTHON(PythonKit::install, PythonKit::start, "tests/contract.py", "examples/shop.py") {
    @Override
    void prepareDatabase() throws IOException {
      super.prepareDatabase();
      PythonKit.requireDriver();
    }
  },
  TYPESCRIPT(TypeScriptKit::install, TypeScriptKit::start, "tests/contract.js", "examples/shop.js"),
  GO(GoKit::install, GoKit::start, "contract", "shop");

  private interface Starter {
    HapaxProcess start(String program, Map<String, String> environment, String... arguments);
  }

  private final KitInstallation.Steps installation;
  private final Starter starter;
  private final String contract;
  private final String shop;

  Kit(KitInstallation.Steps installation, Starter starter, String contract, String shop) {
    this.installation = installation;
    this.starter = starter;
    this.contract = contract;
    this.shop = shop;
  }

  /** The folder of the kits. */
  static final Path FOLDER = Path.of("..", "kits").toAbsolutePath().normalize();

  /** Installs the kit as its users do, once; skips the test where its tools are missing. */
  void prepare() throws IOException {
    var only = System.getProperty("hapax.kit", name());
    assumeTrue(name().equalsIgnoreCase(only), "skipped: only the kit " + only + " is tested");
    installation.perform();
  }

  /** As {@link #prepare}, also with the driver of PostgreSQL that the programs use. */
  void prepareDatabase() throws IOException {
    prepare();
  }

  /** Starts the contract program with these variables. */
  HapaxProcess start(Map<String, String> environment) {
    return starter.start(contract, environment);
  }

  /** Starts a command of the tutorial's shop. */
  HapaxProcess shop(Map<String, String> environment, String... arguments) {
    return starter.start(shop, environment, arguments);
  }

  /** Skips the test because something is missing, unless all kits are required. */
  static void require(boolean isThere, String missing) {
    Requirement.KITS.check(isThere, missing);
  }
}
