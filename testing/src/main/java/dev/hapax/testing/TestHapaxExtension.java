package dev.hapax.testing;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each JUnit test an instance of its own, which is closed after the test and its
 * {@code @AfterEach} methods. All methods of one test get the same instance.
 *
 * <pre>{@code
 * @ExtendWith(TestHapaxExtension.class)
 * class OrderTest {
 *   @Test
 *   void shipped(TestHapax hapax) {
 *     …
 *     hapax.advance(Duration.ofDays(14));
 *   }
 * }
 * }</pre>
 *
 * <p>It resolves parameters of the type {@link TestHapax} of test, {@code @BeforeEach} and
 * {@code @AfterEach} methods. It works with JUnit 5 and 6.
 */
public final class TestHapaxExtension implements ParameterResolver, AfterEachCallback {

  private static final Namespace NAMESPACE = Namespace.create(TestHapaxExtension.class);

  /** JUnit creates it. */
  public TestHapaxExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestHapax.class
        && context.getTestMethod().isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Store store = context.getStore(NAMESPACE);
    TestHapax started = store.get(TestHapax.class, TestHapax.class);
    if (started == null) {
      started = TestHapax.start();
      store.put(TestHapax.class, started);
    }
    return started;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestHapax started = context.getStore(NAMESPACE).remove(TestHapax.class, TestHapax.class);
    if (started != null) {
      started.close();
    }
  }
}
