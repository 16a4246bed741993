/** The code of the documents, executed as their reader does. */
@NullMarked
package dev.hapax.bootstrap.document;

import org.jspecify.annotations.NullMarked;
