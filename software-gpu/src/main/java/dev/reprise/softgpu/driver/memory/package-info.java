/**
 * The memory of the device as the driver API sees it: kinds of allocation, who owns them, pools.
 */
@NullMarked
package dev.reprise.softgpu.driver.memory;

import org.jspecify.annotations.NullMarked;
