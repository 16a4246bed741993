package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.Programs;
import dev.hapax.bootstrap.process.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium of the system, with an empty profile. */
final class Chromium implements AutoCloseable {
  static final int WIDTH = 1280;
  static final int HEIGHT = 900;

  private static final String NO_DOCUMENT = "does not belong to the document";

  private static final List<String> BROWSERS =
      List.of("chromium", "chromium-browser", "google-chrome");

  /** No request but those to the console. */
  private static final List<String> FLAGS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--disable-dev-shm-usage",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--force-device-scale-factor=1");

  private static final String SERIOUS_FINDINGS =
      """
      const done = arguments[0];
      axe.run(document, { resultTypes: ['violations'] }).then(
        found => done(found.violations
          .filter(each => each.impact === 'serious' || each.impact === 'critical')
          .map(each => each.id + ': ' + each.nodes.map(node => node.html).join(' '))),
        error => done([String(error)]));
      """;

  /** It warns that it knows no DevTools of so new a browser; these tests need none. */
  private static final Logger DEVTOOLS = Logger.getLogger("org.openqa.selenium.devtools");

  private final ChromeDriver driver;
  private final String axe = axe();

  private Chromium(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts the browser; skips the test where there is none. */
  static Chromium start() {
    var browser = BROWSERS.stream().flatMap(name -> Programs.find(name).stream()).findFirst();
    var driver = Programs.find("chromedriver");
    requireOrSkip(browser.isPresent() && driver.isPresent());
    DEVTOOLS.setLevel(Level.SEVERE);
    var options =
        new ChromeOptions().setBinary(browser.orElseThrow().toString()).addArguments(FLAGS);
    var logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    var service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(driver.orElseThrow().toFile())
            .build();
    var chromium = new Chromium(new ChromeDriver(service, options));
    chromium.resize(WIDTH, HEIGHT);
    return chromium;
  }

  private static void requireOrSkip(boolean found) {
    var missing =
        "chromium and chromedriver are not on the PATH, and the tests of the console need them"
            + " (Debian: apt-get install chromium chromium-driver)";
    Requirement.BROWSER.check(found, missing);
  }

  private static String axe() {
    try (var script = Chromium.class.getResourceAsStream("/axe.min.js")) {
      return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void open(URI address) {
    driver.get(address.toString());
  }

  URI address() {
    return URI.create(Objects.requireNonNull(driver.getCurrentUrl()));
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  void type(String selector, CharSequence... keys) {
    one(selector).sendKeys(keys);
  }

  /** Types, sends the form with Enter and waits for the next page. */
  void submit(String selector, CharSequence text) {
    leave(() -> type(selector, text, Keys.ENTER));
  }

  /** Clicks what opens another page, and waits for that page. */
  void follow(String selector) {
    leave(() -> one(selector).click());
  }

  private WebElement one(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** The browser returns from keys and clicks before it leaves the page. */
  private void leave(Runnable action) {
    var page = one("html");
    action.run();
    Condition.await("the next page", () -> isGone(page));
  }

  private static boolean isGone(WebElement element) {
    try {
      element.getTagName();
      return false;
    } catch (StaleElementReferenceException e) {
      return true;
    } catch (WebDriverException e) {
      // while the page is replaced, the driver may find its node without a document
      if (Objects.requireNonNullElse(e.getMessage(), "").contains(NO_DOCUMENT)) {
        return true;
      }
      throw e;
    }
  }

  /** The text of an element that the page may replace meanwhile; empty = it is not there. */
  String text(String selector) {
    try {
      return all(selector).stream().findFirst().map(WebElement::getText).orElse("");
    } catch (StaleElementReferenceException e) {
      return "";
    }
  }

  void press(CharSequence key) {
    new Actions(driver).sendKeys(key).perform();
  }

  /** What this JavaScript returns. */
  Object value(String expression) {
    try {
      return Objects.requireNonNull(driver.executeScript("return " + expression));
    } catch (JavascriptException e) {
      throw new AssertionError(expression, e);
    }
  }

  boolean holds(String expression) {
    return (Boolean) value("Boolean(%s)".formatted(expression));
  }

  void run(String script) {
    driver.executeScript(script);
  }

  /**
   * The errors that the page has logged, refused scripts and styles among them, since last time.
   */
  List<String> errors() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** What axe finds that keeps people from using the page. */
  @SuppressWarnings("unchecked") // the script returns texts
  List<String> barriers() {
    if (!holds("window.axe")) {
      run(axe);
    }
    return (List<String>) Objects.requireNonNull(driver.executeAsyncScript(SERIOUS_FINDINGS));
  }

  void showDark(boolean dark) {
    command(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  void resize(int width, int height) {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  void allowScripts(boolean allowed) {
    command("Emulation.setScriptExecutionDisabled", Map.of("value", !allowed));
  }

  private void command(String name, Map<String, Object> parameters) {
    var _ = driver.executeCdpCommand(name, parameters);
  }

  void forgetCookies() {
    driver.manage().deleteAllCookies();
  }

  /** The window that is read and written. */
  String window() {
    return driver.getWindowHandle();
  }

  String openWindow() {
    return driver.switchTo().newWindow(WindowType.WINDOW).getWindowHandle();
  }

  void switchTo(String window) {
    driver.switchTo().window(window);
  }

  void closeWindow() {
    driver.close();
  }

  /** Hides the window, as its page notices. */
  void minimize() {
    driver.manage().window().minimize();
  }

  void restore() {
    driver.manage().window().setSize(new Dimension(WIDTH, HEIGHT));
  }

  byte[] screenshot() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
