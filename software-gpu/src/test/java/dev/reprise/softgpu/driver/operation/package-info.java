@NullMarked
package dev.reprise.softgpu.driver.operation;

import org.jspecify.annotations.NullMarked;
