@NullMarked
package dev.hapax.http;

import org.jspecify.annotations.NullMarked;
