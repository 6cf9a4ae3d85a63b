/** How the symbols of the driver API become native entry points. */
@NullMarked
package dev.reprise.softgpu.driver;

import org.jspecify.annotations.NullMarked;
