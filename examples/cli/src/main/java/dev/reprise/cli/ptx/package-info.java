/** What {@code reprise ptx} does: looking at PTX, and running kernels from it on given bytes. */
@NullMarked
package dev.reprise.cli.ptx;

import org.jspecify.annotations.NullMarked;
