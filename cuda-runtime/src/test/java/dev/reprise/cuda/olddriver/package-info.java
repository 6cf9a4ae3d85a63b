/** The runtime on a driver that is older than the header the bindings were made from. */
@NullMarked
package dev.reprise.cuda.olddriver;

import org.jspecify.annotations.NullMarked;
