/** What serving costs the host, with the driver's time taken out and without a driver. */
@NullMarked
package dev.reprise.benchmarks.host;

import org.jspecify.annotations.NullMarked;
