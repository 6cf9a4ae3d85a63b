/**
 * What the runtime does when driver calls fail: at each call of each operation, and of each close.
 */
@NullMarked
package dev.reprise.cuda.faults;

import org.jspecify.annotations.NullMarked;
