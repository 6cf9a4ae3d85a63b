/** The benchmarks of the command, and their reports. */
@NullMarked
package dev.reprise.cli.bench;

import org.jspecify.annotations.NullMarked;
