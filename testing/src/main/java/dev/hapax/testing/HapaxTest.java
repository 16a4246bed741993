package dev.hapax.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Connects the application of a Spring Boot test to an instance of its own, in place of the server
 * that {@code hapax.*} names. The instance is the bean {@link TestHapax}.
 *
 * <pre>{@code
 * @SpringBootTest
 * @HapaxTest
 * class ShopTest {
 *   @Autowired TestHapax hapax;
 *
 *   @Test
 *   void shipped() {
 *     …
 *     hapax.advance(Duration.ofDays(14));
 *   }
 * }
 * }</pre>
 *
 * <p>The tests of a class share the application and the instance, so they need different keys, and
 * the clock continues from one to the next. So do the classes that inherit this annotation from one
 * base class and have the same configuration; otherwise each class has an instance of its own.
 *
 * <p>For Spring Boot 3.5 and 4, with {@code hapax-spring-boot-starter}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface HapaxTest {}
