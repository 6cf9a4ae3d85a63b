/** How numbers are written for people. */
@NullMarked
package dev.reprise.cli.text;

import org.jspecify.annotations.NullMarked;
