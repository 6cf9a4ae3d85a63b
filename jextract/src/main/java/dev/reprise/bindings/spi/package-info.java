/** What a driver written in Java provides to be found by {@code DriverLibrary}. */
@NullMarked
package dev.reprise.bindings.spi;

import org.jspecify.annotations.NullMarked;
