/** The test server, as clients in other processes meet it. */
@NullMarked
package dev.hapax.testserver;

import org.jspecify.annotations.NullMarked;
