/** An extension of JUnit that lets a test fail on reports, and what tests plant on purpose. */
@NullMarked
package dev.reprise.softgpu.junit;

import org.jspecify.annotations.NullMarked;
