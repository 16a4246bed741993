/** The PostgreSQL that Hapax brings along: its programs, its data folder, its process. */
@NullMarked
package dev.hapax.bootstrap.embedded;

import org.jspecify.annotations.NullMarked;
