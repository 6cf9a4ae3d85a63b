/**
 * Making driver calls fail on purpose: what is to fail ({@link
 * dev.reprise.softgpu.faults.FaultPlan}, also as text), and how a test installs it and learns which
 * calls were made ({@link dev.reprise.softgpu.faults.FaultInjection}).
 */
@NullMarked
package dev.reprise.softgpu.faults;

import org.jspecify.annotations.NullMarked;
