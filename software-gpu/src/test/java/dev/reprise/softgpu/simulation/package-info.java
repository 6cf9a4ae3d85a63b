@org.jspecify.annotations.NullMarked
package dev.reprise.softgpu.simulation;
