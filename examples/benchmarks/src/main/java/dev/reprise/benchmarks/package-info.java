/** JMH benchmarks. Times on the software GPU say nothing about a GPU. */
@NullMarked
package dev.reprise.benchmarks;

import org.jspecify.annotations.NullMarked;
