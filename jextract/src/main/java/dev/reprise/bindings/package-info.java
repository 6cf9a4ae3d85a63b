/**
 * Which driver library the process uses, and how its symbols are found.
 *
 * <p>{@link dev.reprise.bindings.DriverLibrary} is the only way in: the generated classes of {@code
 * dev.reprise.bindings.cuda} resolve every function through it, lazily and one by one.
 */
@NullMarked
package dev.reprise.bindings;

import org.jspecify.annotations.NullMarked;
