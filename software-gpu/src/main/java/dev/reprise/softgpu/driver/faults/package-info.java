/** The plan that is installed in a driver: counts calls and says which of them fail. */
@NullMarked
package dev.reprise.softgpu.driver.faults;

import org.jspecify.annotations.NullMarked;
