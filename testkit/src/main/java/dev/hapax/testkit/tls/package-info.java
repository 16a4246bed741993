/** Certificates for tests, issued by a certificate authority of the test. */
@NullMarked
package dev.hapax.testkit.tls;

import org.jspecify.annotations.NullMarked;
