/** Tests of the driver API through the generated bindings, one topic in each class. */
@NullMarked
package dev.reprise.softgpu.driver;

import org.jspecify.annotations.NullMarked;
