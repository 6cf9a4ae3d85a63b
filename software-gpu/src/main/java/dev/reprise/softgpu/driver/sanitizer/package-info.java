/** The sanitizer inside the driver: who ran what in which order, on which memory. */
@NullMarked
package dev.reprise.softgpu.driver.sanitizer;

import org.jspecify.annotations.NullMarked;
