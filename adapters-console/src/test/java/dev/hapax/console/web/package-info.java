@NullMarked
package dev.hapax.console.web;

import org.jspecify.annotations.NullMarked;
