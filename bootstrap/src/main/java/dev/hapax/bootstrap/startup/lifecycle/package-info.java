/** Lifecycles and janitors in files: read, checked, and applied when a server starts. */
@NullMarked
package dev.hapax.bootstrap.startup.lifecycle;

import org.jspecify.annotations.NullMarked;
